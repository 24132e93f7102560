// Returns the embedding model of this graph's projection, if there is one.
// read
MATCH (model:EmbeddingModel {purpose: 'projection'})
RETURN
  model.name AS name,
  model.dimension AS dimension,
  model.fingerprint AS fingerprint,
  // Whether all vectors have to be compared with the graph: they were made beside those of another model.
  coalesce(model.compare, false) AS compare
