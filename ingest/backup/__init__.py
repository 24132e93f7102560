"""A namespace as one file, and back: the backup (docs/how-to/back-up-and-rebuild.md).

`file_format` defines a backup file, `survey` reads all of a namespace, `exporting` writes the file, `checking` reads a
file and finds every error in it, `importing` stores it. No family is named here except in `scope_tags`, which derives
the tags of entries and messages from the namespace's name.
"""
