// Returns the embedding model that this graph is projected with, if it has been yet.
// read
MATCH (model:EmbeddingModel {purpose: 'projection'})
RETURN model.name AS name, model.dimension AS dimension, model.fingerprint AS fingerprint
