"""What is derived from a namespace's name: the words by which its records are told from others' in indexes.

Nearly every such word holds the namespace's own word as it is (`server.graph.words.scope_token`), so that the other
name's takes its place. Where a word is a digest of the name together with something else, the record that it is about
tells what else. A word that neither explains is refused: a record that no search finds is no backup.
"""

import re
from collections.abc import Mapping

from server.entries.scope import scopes
from server.graph.words import scope_token
from server.journal.messages import agent_scope
from server.types import Json

Properties = dict[str, Json]
_KEYS = ("scope", "session")
# The session of an entry is told by its project and its id alone.
_DERIVED = re.compile(r"(?!sessionns[0-9a-f]{16}$)[a-z]*ns[0-9a-f]{16}(?:[0-9a-f]{16})?")


def without_derived(properties: Properties) -> Properties:
    """The properties without the words that come from the namespace's name."""
    kept = dict(properties)
    for key in _KEYS:
        if isinstance(words := kept.get(key), str):
            kept[key] = " ".join(word for word in words.split(" ") if not _DERIVED.fullmatch(word))
    return kept


class Renaming:
    """From one name of a namespace to another. `learn` hears of every node before `renamed` is asked about any."""

    def __init__(self, before: str, after: str) -> None:
        self._before = before
        self._after = after
        self._words: dict[str, str] = {}

    def learn(self, labels: list[str], properties: Mapping[str, Json]) -> None:
        """Notes the words that this node's name digest explains."""
        project, kind, agent = properties.get("project"), properties.get("type"), properties.get("agent_id")
        if "Entry" in labels and isinstance(project, str) and isinstance(kind, str):
            before, after = (scopes(name, project, kind) for name in (self._before, self._after))
            self._words.update(zip(before, after, strict=True))
        if "Message" in labels and isinstance(agent, str):
            self._words[agent_scope(self._before, agent)] = agent_scope(self._after, agent)

    def renamed(self, properties: Properties) -> Properties:
        """The properties as they are in the namespace of the other name; raises ValueError for an unknown word."""
        if self._before == self._after:
            return properties
        kept = dict(properties)
        for key in _KEYS:
            if isinstance(words := kept.get(key), str):
                kept[key] = " ".join(map(self._word, words.split(" ")))
        return kept

    def _word(self, word: str) -> str:
        if not _DERIVED.fullmatch(word):
            return word
        if word in self._words:
            return self._words[word]
        own = scope_token(self._before)
        if own not in word:
            raise ValueError(f"the word {word} in its scope cannot be told for another namespace")
        return word.replace(own, scope_token(self._after))
