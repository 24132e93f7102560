// Starts the cooldown of a locked principal and returns the milliseconds that it still has to wait.
// write
// $namespace STRING: the caller's namespace
// $principal STRING: the caller's name
// $cooldown INTEGER: milliseconds between two writes
MATCH (principal:Principal {namespace: $namespace, name: $principal})
WITH principal, datetime.realtime() AS now
WITH principal, now, now.epochMillis - principal.last_write_at.epochMillis AS elapsed
// A clock that was set back must not lock anyone out. A caller that has to wait rolls the new time back.
WITH principal, now, CASE WHEN 0 <= elapsed < $cooldown THEN $cooldown - elapsed ELSE 0 END AS wait
SET principal.last_write_at = now
RETURN wait
