// Remembers the embedding model that this graph is projected with.
// write
// $name STRING: the model's name
// $dimension INTEGER: numbers in one of its vectors
// $fingerprint STRING: what tells its vectors from those of any other model
MERGE (model:EmbeddingModel {purpose: 'projection'})
SET model.name = $name, model.dimension = $dimension, model.fingerprint = $fingerprint
