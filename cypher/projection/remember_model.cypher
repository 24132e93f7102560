// Stores the embedding model of this graph's projection.
// write
// $name STRING: the model's name
// $dimension INTEGER: the dimension of its vectors
// $fingerprint STRING: identifies the vectors of this model
// $compare BOOLEAN: whether all vectors have to be compared with the graph, because others may have written meanwhile
MERGE (model:EmbeddingModel {purpose: 'projection'})
SET model.name = $name, model.dimension = $dimension, model.fingerprint = $fingerprint,
  model.compare = CASE WHEN $compare THEN true END
