"""Reflection: proposals from the evidence in the graph."""
