// Returns the mean precision of the measured days of a period, and their number.
// read
// $namespace STRING: the caller's namespace
// $since STRING: the first day of the period, as YYYY-MM-DD
// $today STRING: the day after the period, as YYYY-MM-DD
MATCH (day:DriftDay {namespace: $namespace})
WHERE day.date >= date($since) AND day.date < date($today)
RETURN avg(day.precision_at_5) AS baseline, count(day) AS days
