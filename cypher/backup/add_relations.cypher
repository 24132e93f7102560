// Creates relationships of a backup and returns how many.
// write
// $namespace STRING: the namespace that is filled
// $run STRING: the run that fills it
// $rows LIST<MAP>: type, element ids source and target, properties; typed (the properties without a JSON type)
MATCH (import:ArchiveImport {namespace: $namespace})
// The import is locked before its run is read: of two runs, one waits for the other.
SET import.touched_at = datetime()
WITH import
WHERE import.run = $run
UNWIND $rows AS row
MATCH (a:Arriving) WHERE elementId(a) = row.source AND a.namespace = $namespace
MATCH (b:Arriving) WHERE elementId(b) = row.target AND b.namespace = $namespace
CREATE (a)-[r:$(row.type)]->(b)
SET r = row.properties
FOREACH (each IN row.typed | SET r[each.key] = CASE each.type
  WHEN 'ZONED DATETIME' THEN
    datetime({datetime: datetime({datetime: localdatetime(each.value[0]), timezone: each.value[1]}), timezone: each.value[2]})
  WHEN 'ZONED TIME' THEN time({time: localtime(each.value[0]), timezone: each.value[1]})
  WHEN 'LOCAL DATETIME' THEN localdatetime(each.value)
  WHEN 'DATE' THEN date(each.value)
  WHEN 'LOCAL TIME' THEN localtime(each.value)
  WHEN 'DURATION' THEN duration(each.value)
  WHEN 'POINT' THEN CASE size(each.value)
      WHEN 4 THEN point({srid: each.value[0], x: each.value[1], y: each.value[2], z: each.value[3]})
      ELSE point({srid: each.value[0], x: each.value[1], y: each.value[2]})
    END
  WHEN 'LIST<ZONED DATETIME>' THEN [value IN each.value |
    datetime({datetime: datetime({datetime: localdatetime(value[0]), timezone: value[1]}), timezone: value[2]})
  ]
  WHEN 'LIST<ZONED TIME>' THEN [value IN each.value | time({time: localtime(value[0]), timezone: value[1]})]
  WHEN 'LIST<LOCAL DATETIME>' THEN [value IN each.value | localdatetime(value)]
  WHEN 'LIST<DATE>' THEN [value IN each.value | date(value)]
  WHEN 'LIST<LOCAL TIME>' THEN [value IN each.value | localtime(value)]
  WHEN 'LIST<DURATION>' THEN [value IN each.value | duration(value)]
  WHEN 'LIST<POINT>' THEN [value IN each.value | CASE size(value)
      WHEN 4 THEN point({srid: value[0], x: value[1], y: value[2], z: value[3]})
      ELSE point({srid: value[0], x: value[1], y: value[2]})
    END]
END)
RETURN count(r) AS created
