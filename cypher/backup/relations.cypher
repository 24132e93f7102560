// Returns every relationship of a namespace's backup, and those that lead out of the namespace.
// read
// $namespace STRING: the namespace
MATCH (a)-[r]->(b)
WHERE (a.namespace = $namespace OR b.namespace = $namespace)
  AND NOT a:Token AND NOT a:Tombstone AND NOT a:Sequence AND NOT a:ArchiveImport
  AND NOT b:Token AND NOT b:Tombstone AND NOT b:Sequence AND NOT b:ArchiveImport
RETURN
  elementId(a) AS source,
  elementId(b) AS target,
  coalesce(a.namespace <> b.namespace, true) AS leads_out,
  type(r) AS type,
  [key IN keys(r)
    WHERE r[key] IS :: STRING | INTEGER | FLOAT | BOOLEAN | LIST<STRING> | LIST<INTEGER> | LIST<FLOAT> | LIST<BOOLEAN> |
    [key, r[key]]
  ] AS plain,
  // As complete text: with the name of a zone and all seconds of an offset. A single value is a list too.
  [key IN keys(r)
    WHERE NOT r[key] IS :: STRING | INTEGER | FLOAT | BOOLEAN | LIST<STRING> | LIST<INTEGER> | LIST<FLOAT> | LIST<BOOLEAN> |
    [key, replace(valueType(r[key]), ' NOT NULL', ''),
      [value IN CASE WHEN r[key] IS :: LIST<ANY> THEN r[key] ELSE [r[key]] END | CASE
        WHEN value IS :: ZONED DATETIME THEN [toString(localdatetime(value)), value.offset, value.timezone]
        WHEN value IS :: ZONED TIME THEN [toString(localtime(value)), value.timezone]
        WHEN value IS :: POINT THEN
          [value.srid, value.x, value.y] + CASE WHEN value.srid IN [4979, 9157] THEN [value.z] ELSE [] END
        ELSE toString(value)
      END]
    ]
  ] AS typed
