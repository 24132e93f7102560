"""The managed local stack: Java, Neo4j and the home that holds them. Source: design.md section 7."""
