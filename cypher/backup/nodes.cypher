// Returns every node of a namespace's backup; its properties are separated by whether JSON has their type.
// read
// $namespace STRING: the namespace
MATCH (n)
WHERE n.namespace = $namespace AND NOT n:Token AND NOT n:Tombstone AND NOT n:Sequence AND NOT n:ArchiveImport
RETURN
  elementId(n) AS element,
  labels(n) AS labels,
  [key IN keys(n)
    WHERE n[key] IS :: STRING | INTEGER | FLOAT | BOOLEAN | LIST<STRING> | LIST<INTEGER> | LIST<FLOAT> | LIST<BOOLEAN> |
    [key, n[key]]
  ] AS plain,
  // As complete text: with the name of a zone and all seconds of an offset. A single value is a list too.
  [key IN keys(n)
    WHERE NOT n[key] IS :: STRING | INTEGER | FLOAT | BOOLEAN | LIST<STRING> | LIST<INTEGER> | LIST<FLOAT> | LIST<BOOLEAN> |
    [key, replace(valueType(n[key]), ' NOT NULL', ''),
      [value IN CASE WHEN n[key] IS :: LIST<ANY> THEN n[key] ELSE [n[key]] END | CASE
        WHEN value IS :: ZONED DATETIME THEN [toString(localdatetime(value)), value.offset, value.timezone]
        WHEN value IS :: ZONED TIME THEN [toString(localtime(value)), value.timezone]
        WHEN value IS :: POINT THEN
          [value.srid, value.x, value.y] + CASE WHEN value.srid IN [4979, 9157] THEN [value.z] ELSE [] END
        ELSE toString(value)
      END]
    ]
  ] AS typed
