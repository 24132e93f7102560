"""A real graph (CoDEx-S) scaled up: many copies of it, woven together, with hubs that the copies share."""

import csv
import gzip
import json
import random
from collections import Counter
from pathlib import Path

from benchmarks.million.homes import Sizes

_HUBS = 10
"""The best connected entities of the real graph: what grows with a graph instead of being repeated."""
_ELSEWHERE = 0.2
"""The share of relations that lead into another copy."""
_ISLAND = 0.01
"""The share of copies that nothing connects with the others: no path leads there."""
_APART = 200
_CONSONANTS, _VOWELS = "bdfgjklmnprstvz", "aeiou"
_SYLLABLES = [consonant + vowel for consonant in _CONSONANTS for vowel in _VOWELS]
_FIRST_NAMES = 1_999


def name_entity(number: int) -> str:
    """A name of two words, such as people and places have; no two numbers have the same."""
    return f"{_word(number % _FIRST_NAMES)} {_word(5_000 + number // _FIRST_NAMES)}"


def _word(number: int) -> str:
    count = len(_SYLLABLES)
    number = number * 104_729 % count**3  # a prime, so that neighbours do not look alike
    parts = (_SYLLABLES[number // count**power % count] for power in range(3))
    return "".join(parts).capitalize()


def write_triples(data: Path, sizes: Sizes, file: Path) -> tuple[int, list[str]]:
    """Write the relations to a file; return their number, and some entities that no path connects with most others.

    Each copy has another part of the real relations, so degrees are distributed as the real ones are. The ten best
    connected entities are shared by so many copies that the first of them has `sizes.hub` relations.
    """
    with gzip.open(data / "codex-s.tsv.gz", "rt") as lines:
        real = [(head, relation, tail) for head, relation, tail in csv.reader(lines, delimiter="\t")]
    labels = {key: each["label"] for key, each in json.loads((data / "codex-relations-en.json").read_text()).items()}
    degrees = Counter(entity for head, _, tail in real for entity in (head, tail))
    entities = [entity for entity, _ in degrees.most_common()]
    index = {entity: number for number, entity in enumerate(entities)}
    copies = -(-sizes.entities // len(entities))
    each = sizes.relations / copies
    shared = max(1, round(sizes.hub / (degrees[entities[0]] * each / len(real))))
    island = copies - max(1, round(copies * _ISLAND))
    generator = random.Random(20261122)

    def name(entity: str, copy: int) -> str:
        number = index[entity]
        if number < _HUBS:
            copy = copy // shared * shared if copy < island else island
        return name_entity(min(copy * len(entities) + number, sizes.entities - 1))

    written, apart = 0, dict[str, None]()
    with file.open("w") as out:
        for copy in range(copies):
            near = range(island) if copy < island else range(island, copies)
            for head, relation, tail in generator.sample(real, min(len(real), round(each))):
                other = generator.choice(near) if generator.random() < _ELSEWHERE else copy
                out.write(f"{name(head, copy)}\t{labels.get(relation, relation)}\t{name(tail, other)}\n")
                written += 1
                if copy >= island and len(apart) < _APART:
                    apart[name(head, copy)] = None
    return written, list(apart)
