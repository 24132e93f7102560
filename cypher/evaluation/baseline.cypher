// Returns the mean precision of the days before today that were measured, and how many they are.
// read
// $namespace STRING: the caller's namespace
// $since STRING: the first day that counts, as YYYY-MM-DD
// $today STRING: the day after the last one that counts
MATCH (day:DriftDay {namespace: $namespace})
WHERE day.date >= date($since) AND day.date < date($today)
RETURN avg(day.precision_at_5) AS baseline, count(day) AS days
