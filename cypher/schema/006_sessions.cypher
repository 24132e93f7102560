// Sessions over REST: memories and summaries.
CREATE CONSTRAINT session_id IF NOT EXISTS
FOR (session:Session) REQUIRE (session.namespace, session.id) IS UNIQUE;

// Memories and summaries are in collections, which are visible while their state is 'live'. So an import of any size
// appears atomically, and what it replaces disappears atomically.
CREATE CONSTRAINT memory_collection_id IF NOT EXISTS
FOR (collection:MemoryCollection) REQUIRE (collection.namespace, collection.id) IS UNIQUE;

CREATE INDEX memory_collection_state IF NOT EXISTS
FOR (collection:MemoryCollection) ON (collection.namespace, collection.of, collection.state);

CREATE CONSTRAINT collected_id IF NOT EXISTS
FOR (record:Collected) REQUIRE (record.namespace, record.collection, record.id) IS UNIQUE;

// A collection is listed and exported in the order of its index; the id orders records of the same millisecond.
CREATE INDEX collected_order IF NOT EXISTS
FOR (record:Collected) ON (record.namespace, record.collection, record.created_at, record.id);

CREATE CONSTRAINT interaction_node_id IF NOT EXISTS
FOR (interaction:Interaction) REQUIRE (interaction.namespace, interaction.node_id) IS UNIQUE;

// A session is read in the order of this index.
CREATE INDEX interaction_order IF NOT EXISTS
FOR (interaction:Interaction)
ON (interaction.namespace, interaction.session_id, interaction.created_at, interaction.id);

CREATE CONSTRAINT summary_node_id IF NOT EXISTS
FOR (summary:Summary) REQUIRE (summary.namespace, summary.node_id) IS UNIQUE;

CREATE INDEX summary_session IF NOT EXISTS
FOR (summary:Summary) ON (summary.namespace, summary.session_id);

// These labels are now reserved: agents' own entities with these labels lose the native label.
MATCH (entity:Entity:Collected)
SET entity.label = coalesce(entity.label, 'Collected')
REMOVE entity:Collected;

MATCH (entity:Entity:MemoryCollection)
SET entity.label = coalesce(entity.label, 'MemoryCollection')
REMOVE entity:MemoryCollection;

MATCH (entity:Entity:Unlinked)
SET entity.label = coalesce(entity.label, 'Unlinked')
REMOVE entity:Unlinked;
