"""Readers: one file a source, pure functions from text to records. They never raise on what a file says."""
