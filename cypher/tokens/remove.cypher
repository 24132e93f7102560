// Removes a principal's token and returns how many there were.
// write
// $name STRING: the principal's name
MATCH (token:Token {name: $name})
DELETE token
RETURN count(*) AS removed
