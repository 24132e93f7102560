"""The tags of a namespace's records that are derived from its name; an import under another name derives them again.

Nearly every tag contains the own tag of the namespace (`server.graph.lucene.namespace_tag`): it is replaced. A tag that
is a digest of the name and something else is derived from the record that has it. Any other tag is refused: a
backup whose records no search finds is no backup. Source: ING-80, ING-81.
"""

import re
from collections.abc import Mapping

from server.core.types import Json
from server.entries.scope import list_scope_tags
from server.graph.lucene import namespace_tag
from server.journal.messages import agent_scope

Properties = dict[str, Json]
_KEYS = ("scope", "session")
# The session of an entry depends on its project and its id only.
_DERIVED = re.compile(r"(?!sessionns[0-9a-f]{16}$)[a-z]*ns[0-9a-f]{16}(?:[0-9a-f]{16})?")


def remove_scope_tags(properties: Properties) -> Properties:
    """The properties without the tags that are derived from the namespace's name."""
    kept = dict(properties)
    for key in _KEYS:
        if isinstance(tags := kept.get(key), str):
            kept[key] = " ".join(tag for tag in tags.split(" ") if not _DERIVED.fullmatch(tag))
    return kept


class Renaming:
    """The change from one name of a namespace to another; `learn` takes every node before `rename` takes the first."""

    def __init__(self, before: str, after: str) -> None:
        self._before = before
        self._after = after
        self._tags: dict[str, str] = {}

    def learn(self, labels: list[str], properties: Mapping[str, Json]) -> None:
        """Remember the tags that are derived from this node."""
        project, kind, agent = properties.get("project"), properties.get("type"), properties.get("agent_id")
        if "Entry" in labels and isinstance(project, str) and isinstance(kind, str):
            before, after = (list_scope_tags(name, project, kind) for name in (self._before, self._after))
            self._tags.update(zip(before, after, strict=True))
        if "Message" in labels and isinstance(agent, str):
            self._tags[agent_scope(self._before, agent)] = agent_scope(self._after, agent)

    def rename(self, properties: Properties) -> Properties:
        """The properties under the other name; raises ValueError for a tag that cannot be derived."""
        if self._before == self._after:
            return properties
        renamed = dict(properties)
        for key in _KEYS:
            if isinstance(tags := renamed.get(key), str):
                renamed[key] = " ".join(map(self._rename_tag, tags.split(" ")))
        return renamed

    def _rename_tag(self, tag: str) -> str:
        if not _DERIVED.fullmatch(tag):
            return tag
        if tag in self._tags:
            return self._tags[tag]
        own = namespace_tag(self._before)
        if own not in tag:
            raise ValueError(f"the tag {tag} of its scope cannot be derived for another namespace")
        return tag.replace(own, namespace_tag(self._after))
