// Marks or unmarks the projection of this graph as being recreated: until it is complete, searches use words alone.
// write
// $recreating BOOLEAN: whether lost vectors are being recreated
MATCH (model:EmbeddingModel {purpose: 'projection'})
WHERE coalesce(model.recreating, false) <> $recreating
SET model.recreating = $recreating
