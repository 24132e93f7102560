"""The managed local stack: Java, Neo4j and the home that contains them."""
