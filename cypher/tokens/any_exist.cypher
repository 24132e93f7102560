// Returns whether any token exists.
// read
RETURN EXISTS { MATCH (:Token) } AS found
