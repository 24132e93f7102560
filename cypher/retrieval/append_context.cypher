// Adds the words of later passages to what passages are found by.
// write
// $namespace STRING: the caller's namespace
// $neighbours LIST<MAP>: id of each passage, and the words to add
UNWIND $neighbours AS neighbour
MATCH (passage:Passage {namespace: $namespace, id: neighbour.id})
SET passage.around = passage.around + ' ' + neighbour.words
