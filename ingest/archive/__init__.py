"""The whole graph of a namespace as one file, and back: the backup (docs/how-to/back-up-and-rebuild.md).

`form` is what an archive is made of, `survey` reads a namespace whole, `writing` exports it, `checking` reads an
archive and finds whatever is wrong with it, `loading` imports it. No family is named here but in `words`, which has to
know how entries and messages derive words from the namespace's name: what the namespace holds is in the archive.
"""
