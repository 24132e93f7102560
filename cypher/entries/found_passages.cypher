// Returns passages with their entries for a page of hits, and which passages are not in the scope or have expired.
// read
// $namespace STRING: the caller's namespace
// $ids LIST<STRING>: ids of the passages
// $others LIST<STRING>: ids of passages that are only confirmed
// $scope STRING: the scope tag that they must carry
// $since STRING: the earliest time, as a sortable text
// $until STRING: the latest time, as a sortable text
CALL () {
  UNWIND $ids AS id
  MATCH (passage:Passage {namespace: $namespace, id: id})
  MATCH (entry:Entry {namespace: $namespace, node_id: passage.record})
  WITH passage, entry, coalesce(entry.expires_at <= datetime(), false) AS expired, head(COLLECT {
    MATCH (correction:Correction)-[:CORRECTS]->(entry)
    RETURN {
      correction_id: correction.id,
      text: left(
        coalesce(correction.reason + ' ', '') + coalesce(correction.corrected_value, correction.correction_type), 200
      )
    }
    ORDER BY correction.created_at DESC, correction.node_id DESC
    LIMIT 1
  }) AS corrected_by
  RETURN collect(CASE WHEN NOT expired THEN {
    passage: passage.id,
    id: entry.id,
    title: entry.title,
    entry_type: entry.type,
    project: entry.project,
    created_at: entry.created_at.epochMillis,
    session_id: entry.session_id,
    section: passage.heading,
    source_ref: entry.source_ref,
    text: coalesce(passage.text, passage.body),
    words: passage.words,
    around: passage.around,
    corrected_by: corrected_by
  } END) AS found, collect(DISTINCT CASE WHEN expired THEN entry.node_id END) AS expired
}
CALL (expired) {
  UNWIND expired AS record
  MATCH (part:Passage {namespace: $namespace, record: record})
  RETURN collect(part.id) AS expired_passages
}
RETURN
  found,
  [id IN $others WHERE NOT EXISTS {
    MATCH (passage:Passage {namespace: $namespace, id: id})
    WHERE passage.scope CONTAINS $scope AND $since <= passage.at <= $until
  }] + expired_passages AS gone
