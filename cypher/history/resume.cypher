// Returns where an agent or a session was: its latest records, its open corrections, its decisions, lessons that fit.
// read
// $namespace STRING: the caller's namespace
// $agent_id STRING: the agent, or null for the agent of the session's last message
// $session_id STRING: the session or conversation, or null for all of the agent
// $most INTEGER: how many of each at most
// $text INTEGER: characters of each text
OPTIONAL MATCH (session:Session {namespace: $namespace, id: $session_id})
CALL (session) {
  // A session's own messages; an agent's last ones are read from their index.
  MATCH (session)<-[:IN]-(message:Message)
  WHERE $agent_id IS NULL OR message.agent_id = $agent_id
  WITH message ORDER BY message.created_at DESC, message.node_id DESC LIMIT $most
  RETURN collect(message) AS in_session
}
CALL () {
  WITH 1 AS one WHERE $session_id IS NULL
  MATCH (message:Message)
  WHERE message.namespace = $namespace AND message.agent_id = $agent_id
    AND message.created_at IS NOT NULL AND message.node_id IS NOT NULL
  WITH message
  ORDER BY message.namespace DESC, message.agent_id DESC, message.created_at DESC, message.node_id DESC
  LIMIT $most
  RETURN collect(message) AS of_agent
}
WITH session, in_session + of_agent AS messages
WITH session, messages, coalesce($agent_id, messages[0].agent_id) AS agent_id
OPTIONAL MATCH (agent:JournalAgent {namespace: $namespace, id: agent_id})
CALL (agent_id) {
  MATCH (context:Context)
  WHERE context.namespace = $namespace AND context.agent_id = agent_id
    AND context.created_at IS NOT NULL AND context.node_id IS NOT NULL
  WITH context
  ORDER BY context.namespace DESC, context.agent_id DESC, context.created_at DESC, context.node_id DESC
  LIMIT $most
  RETURN collect(context) AS contexts
}
CALL (agent_id) {
  // A correction that nobody applied is open; the newest hundred are looked at.
  MATCH (correction:Correction)
  WHERE correction.namespace = $namespace AND correction.agent_id = agent_id
    AND correction.created_at IS NOT NULL AND correction.node_id IS NOT NULL
  WITH correction
  ORDER BY
    correction.namespace DESC, correction.agent_id DESC, correction.created_at DESC, correction.node_id DESC
  LIMIT 100
  WITH correction WHERE NOT coalesce(correction.applied_automatically, false)
  WITH correction LIMIT $most
  RETURN collect(correction) AS corrections
}
CALL (session) {
  MATCH (session)<-[:IN]-(memory:Entry|Interaction)
  WITH memory ORDER BY memory.created_at DESC, memory.node_id DESC LIMIT $most
  RETURN collect(memory) AS memories
}
CALL () {
  MATCH (dialogue:Dialogue)
  USING INDEX dialogue:Dialogue(namespace, session_id, created_at, id, speaker)
  WHERE dialogue.namespace = $namespace AND dialogue.session_id = $session_id
    AND dialogue.created_at IS NOT NULL AND dialogue.id IS NOT NULL AND dialogue.speaker IS NOT NULL
  WITH dialogue
  ORDER BY dialogue.namespace DESC, dialogue.session_id DESC, dialogue.created_at DESC, dialogue.id DESC
  LIMIT $most
  RETURN collect(dialogue) AS dialogues
}
CALL () {
  MATCH (:WorkingMemory {namespace: $namespace})<-[:IN]-(item:WorkingItem)
  WITH item ORDER BY item.last_accessed DESC, item.id DESC LIMIT 10
  RETURN collect(item) AS items
}
CALL (agent_id, messages, contexts) {
  // Decisions name the principal who recorded them: the agent itself, or who wrote its journal.
  WITH [agent_id] + [record IN messages + contexts | record.created_by] AS authors
  UNWIND authors AS author
  WITH DISTINCT author
  CALL (author) {
    MATCH (decision:Decision)
    WHERE decision.namespace = $namespace AND decision.created_by = author AND decision.created_at IS NOT NULL
    WITH decision
    ORDER BY decision.namespace DESC, decision.created_by DESC, decision.created_at DESC
    LIMIT $most
    RETURN decision
  }
  WITH decision ORDER BY decision.created_at DESC, decision.id DESC LIMIT $most
  RETURN collect(decision) AS decisions
}
CALL (messages, memories, dialogues) {
  // An episode is like the work at hand if both mention the same things.
  UNWIND messages + memories + dialogues AS record
  MATCH (record)-[:MENTIONS]->(thing:Entity)
  WITH DISTINCT thing LIMIT 50
  CALL (thing) {
    MATCH (thing)<-[:MENTIONS]-(episode:Episode)
    RETURN episode LIMIT 100
  }
  WITH episode, count(*) AS shared
  ORDER BY shared DESC, episode.created_at DESC, episode.id DESC
  LIMIT $most
  RETURN collect([episode, shared]) AS episodes
}
RETURN
  agent_id,
  agent IS NOT NULL OR session IS NOT NULL OR size(messages) + size(contexts) + size(dialogues) + size(decisions) > 0
    AS known,
  [each IN contexts | {
    id: each.id, type: each.context_type, version: each.version, at: each.created_at.epochMillis,
    data: left(each.context_data, $text)
  }] AS contexts,
  [each IN messages | {
    id: each.id, session_id: each.conversation_id, sender: each.sender, at: each.created_at.epochMillis,
    text: left(each.message_content, $text)
  }] AS messages,
  [each IN memories | {
    id: toString(each.id), at: each.created_at.epochMillis,
    text: left(coalesce(each.body, each.prompt, each.name), $text)
  }] AS memories,
  [each IN dialogues | {
    id: toString(each.id), speaker: each.speaker, at: each.created_at.epochMillis, text: left(each.content, $text)
  }] AS dialogues,
  [each IN corrections | {
    id: each.id, type: each.correction_type, at: each.created_at.epochMillis,
    original_entry_id: each.original_entry_id, corrected: left(each.corrected_value, $text), reason: left(each.reason, $text)
  }] AS corrections,
  [each IN items | {id: each.id, importance: each.importance, text: left(each.content, $text)}] AS working_memory,
  [each IN episodes | {
    id: each[0].id, reward: each[0].reward, tried: left(each[0].query, $text), lesson: left(each[0].reflection, $text),
    shared: each[1]
  }] AS lessons,
  [each IN decisions | {
    id: each.id, title: left(each.title, $text), target: left(each.target, $text), status: each.status,
    at: each.created_at.epochMillis
  }] AS decisions
