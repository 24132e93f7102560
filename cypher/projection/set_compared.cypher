// Marks all vectors of a model as compared with the graph.
// write
// $fingerprint STRING: identifies the vectors of this model
MATCH (model:EmbeddingModel {purpose: 'projection', fingerprint: $fingerprint})
REMOVE model.compare
