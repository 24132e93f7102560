// Replaces the words of a changed entry in what its neighbours in the session are found by.
// write
// $namespace STRING: the caller's namespace
// $ids LIST<STRING>: ids of the passages
// $replacements LIST<LIST<STRING>>: former words and new words, in the order in which they are replaced
UNWIND $ids AS id
MATCH (passage:Passage {namespace: $namespace, id: id})
WHERE passage.around IS NOT NULL
WITH passage, size(coalesce(passage.words, '')) AS own
// Their own words come first and stay.
WITH passage, left(passage.around, own) AS words, ' ' + substring(passage.around, own) + ' ' AS around
SET passage.around = words + ' ' + trim(
  reduce(text = around, pair IN $replacements | replace(text, ' ' + pair[0] + ' ', ' ' + pair[1] + ' '))
)
