"""Readers: one module for each source, from text to records. No content of a file makes them fail. Source: ING-12."""
