"""A decision, one that replaced it in other words, and a question in the words of the first."""

OLD = {"title": "Lazy evaluation of annotations by descriptors", "rationale": "Annotations are computed on access."}
NEW = {"title": "What the steering council settled on last", "rationale": "It answers all objections that were left."}
QUESTION = "lazy evaluation of annotations, computed on access by descriptors"
