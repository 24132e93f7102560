"""Which decision is in force, which superseded which, and what each is about: from all records together.

One file can be wrong about another: only one of them names the other, the two contradict each other, or a status is out
of date. `resolve` follows the rules below and reports every case (`Finding`). It is a pure function of the set of
records, so the order of files, runs and interruptions cannot change the result. Source: ING-33.

1. **One side is enough.** "A supersedes B" in A, or "superseded by A" in B, is a claim; that only one of them says so
   is reported.
2. **Only a record that came into force supersedes.** If A is a draft, or was rejected or withdrawn, its claim becomes a
   link `WOULD_SUPERSEDE` and takes nothing out of force.
3. **No cycles.** Claims of both sides come first, then claims of the old record, then claims of the new one; equal ones
   in the order of keys. A claim that would close a cycle is omitted.
4. **Status.** A record that was superseded is never in force: it is `superseded`, or stays `deprecated` if it was
   rejected, withdrawn or retired by its own status. A record that names its own successor is `superseded` also if the
   successor is not among the records. Only its own status puts a record in force.
5. **Target.** The one that the file names; else that of the first record that it supersedes, in the order of keys; else
   its own key. Only one successor inherits a target, so along a chain one decision is in force; if two supersede the
   same record, the second is about itself.
6. **One in force per target**, compared without case, width and spacing. What is in force in the graph stays; if files
   name the same target, the first by date and key is in force. A later one that does not supersede it is refused, as
   `record_decision` would refuse it: what an earlier run stored of it stays.
7. **The graph is the authority.** What somebody superseded in the service stays superseded, whatever its file states.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from ingest.records import DecisionRecord, RecordLink, SortKey, Standing, natural_sort_key
from server.graph.keys import comparison_key

Status = Literal["active", "superseded", "deprecated", "draft"]
Sides = Literal["both", "old", "new"]
"""Which of the two records says that one supersedes the other."""
_STATUS: dict[Standing, Status] = {
    Standing.IN_FORCE: "active",
    Standing.REPLACED: "superseded",
    Standing.RETIRED: "deprecated",
    Standing.DROPPED: "deprecated",
    Standing.PENDING: "draft",
}


@dataclass(frozen=True, slots=True)
class Claims:
    """What one record claims about itself and others; the ledger stores it for later runs."""

    key: str
    standing: Standing
    source_status: str
    target: str | None = None
    created: date | None = None
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    links: tuple[RecordLink, ...] = ()
    replaced_in_service: bool = False

    @classmethod
    def of(cls, record: DecisionRecord, *, replaced_in_service: bool = False) -> "Claims":
        return cls(
            key=record.key,
            standing=record.standing,
            source_status=record.source_status,
            target=record.target,
            created=record.created,
            supersedes=record.supersedes,
            superseded_by=record.superseded_by,
            links=record.links,
            replaced_in_service=replaced_in_service,
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the graph is to store about one record; its keys are those of records that exist.

    The ledger stores a digest of its `repr`: a changed name here makes every record count as updated once.
    """

    status: Status
    target: str
    superseded_by: str | None = None
    supersedes: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """A disagreement between records, or a record that names a missing one, and the result of the rule."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Resolution:
    """The verdicts by key; `refused` maps a key without one to the reason."""

    verdicts: Mapping[str, Verdict]
    findings: tuple[Finding, ...]
    refused: Mapping[str, str]


def resolve(
    records: Iterable[Claims],
    holders: Mapping[str, str] | None = None,
    before: Mapping[str, Claims] | None = None,
) -> Resolution:
    """Apply the rules above to all records together.

    `holders` maps targets to the decision that is in force for them in the graph: the key of a record, or the id of
    another decision. `before` are the claims that an earlier run stored; a record that is refused keeps these.
    """
    known = {record.key: record for record in sorted(records, key=lambda record: natural_sort_key(record.key))}
    refused: dict[str, str] = {}
    held = {comparison_key(target): holder for target, holder in (holders or {}).items()}
    while True:
        graph = _SupersedeGraph(known)
        verdicts = graph.build_verdicts()
        conflicts = dict(_find_conflicts(verdicts, known, held))
        if not conflicts:
            return Resolution(verdicts, tuple(graph.findings), refused)
        for key in conflicts:  # without them others may stay in force, so all claims are compared again
            earlier = (before or {}).get(key)
            if earlier is None or earlier == known[key]:
                del known[key]
            else:
                known[key] = earlier
        refused |= conflicts


def find_reachable(start: str, neighbours: Mapping[str, Collection[str]]) -> set[str]:
    """The keys that a walk from `start` reaches, `start` among them."""
    waiting, reached = [start], {start}
    while waiting:
        new = set(neighbours.get(waiting.pop(), ())) - reached
        reached |= new
        waiting.extend(new)
    return reached


def _find_conflicts(
    verdicts: Mapping[str, Verdict], known: Mapping[str, Claims], holders: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """The keys that are active for a target which another decision has, each with the reason of its refusal."""

    def rank(key: str) -> tuple[bool, date, SortKey]:
        is_holder = holders.get(comparison_key(verdicts[key].target)) == key
        return not is_holder, known[key].created or date.max, natural_sort_key(key)

    in_force = {target: holder for target, holder in holders.items() if holder not in known}
    for key in sorted((key for key, verdict in verdicts.items() if verdict.status == "active"), key=rank):
        target = verdicts[key].target
        holder = in_force.setdefault(comparison_key(target), key)
        if holder != key:
            yield (
                key,
                (
                    f"CONFLICT: {holder} is in force for the target {target!r}; "
                    "name it as superseded, or give this one a target of its own"
                ),
            )


@dataclass(slots=True)
class _SupersedeGraph:
    """The supersede graph of a set of records.

    `successors` and `superseded` store the claims that were accepted, `intended` those of records that never came into
    force; `orphaned` are records whose successor is missing.
    """

    known: Mapping[str, Claims]
    findings: list[Finding] = field(default_factory=list)
    successors: dict[str, list[str]] = field(default_factory=dict)
    superseded: dict[str, list[str]] = field(default_factory=dict)
    intended: set[tuple[str, str]] = field(default_factory=set)
    orphaned: set[str] = field(default_factory=set)
    amended: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for record in self.known.values():
            for link in record.links:
                if link.relation == "AMENDED_BY" and link.key != record.key:
                    self.amended.setdefault(link.key, []).append(record.key)
        for new, old, sides in self._list_claims():
            self._check_claim(new, old, sides)
        for keys in (*self.successors.values(), *self.superseded.values()):
            keys.sort(key=natural_sort_key)

    def _check_claim(self, new: str, old: str, sides: Sides) -> None:
        """Accept the claim that `new` supersedes `old`, or report why not."""
        if new == old:
            self._report(new, "it names itself as its successor: omitted")
        elif old not in self.known:
            self._report(new, f"it supersedes {old}, which is not among the records")
        elif new not in self.known:
            self._report(old, f"it names {new} as its successor, which is not among the records")
            self.orphaned.add(old)
        elif not self.known[new].standing.came_into_force:
            self._report(new, f"it is {self.known[new].source_status!r}, so {old} is not superseded by it")
            self.intended.add((new, old))
        elif new in find_reachable(old, self.superseded):
            self._report(new, f"that it supersedes {old} would close a cycle: omitted")
        else:
            if sides == "new":
                self._report(new, f"it supersedes {old}, which does not say so: accepted")
            elif sides == "old":
                self._report(old, f"{new} supersedes it, which does not say so: accepted")
            self.successors.setdefault(old, []).append(new)
            self.superseded.setdefault(new, []).append(old)

    def build_verdicts(self) -> dict[str, Verdict]:
        targets = self._resolve_targets()
        return {
            key: Verdict(
                status=self._resolve_status(record),
                target=targets[key],
                superseded_by=next(iter(self.successors.get(key, ())), None),
                supersedes=tuple(self.superseded.get(key, ())),
                links=tuple(sorted(self._list_links(record))),
            )
            for key, record in self.known.items()
        }

    def _list_claims(self) -> list[tuple[str, str, Sides]]:
        """(new, old, who says so), the strongest first (rule 3)."""
        by_new = {(record.key, old) for record in self.known.values() for old in record.supersedes}
        by_old = {(new, record.key) for record in self.known.values() for new in record.superseded_by}
        order: tuple[Sides, ...] = ("both", "old", "new")
        groups = (by_new & by_old, by_old - by_new, by_new - by_old)
        return [
            (new, old, sides)
            for sides, pairs in zip(order, groups, strict=True)
            for new, old in sorted(pairs, key=lambda pair: (natural_sort_key(pair[0]), natural_sort_key(pair[1])))
        ]

    def _resolve_status(self, record: Claims) -> Status:
        status, key = _STATUS[record.standing], record.key
        if record.replaced_in_service:
            return "superseded"
        successors = self.successors.get(key, [])
        if status in {"active", "draft"} and (successors or key in self.orphaned):
            if successors:
                self._report(key, f"it is {record.source_status!r}, and {successors[0]} supersedes it: superseded")
            return "superseded"
        if status == "superseded" and not successors and not record.superseded_by:
            self._report(key, "it is superseded, and no record names its successor")
        return status

    def _resolve_targets(self) -> dict[str, str]:
        """Rule 5. Follows the chains from the oldest record, without recursion: a chain may be long."""
        targets: dict[str, str] = {}
        open_links = {key: len(self.superseded.get(key, ())) for key in self.known}
        ready = [key for key, count in open_links.items() if not count]
        while ready:
            key = ready.pop()
            inherited = (targets[old] for old in self.superseded.get(key, ()) if self.successors[old][0] == key)
            targets[key] = self.known[key].target or next(inherited, key)
            for new in self.successors.get(key, ()):
                open_links[new] -= 1
                if not open_links[new]:
                    ready.append(new)
        return targets

    def _list_links(self, record: Claims) -> set[tuple[str, str]]:
        intended = {("WOULD_SUPERSEDE", old) for new, old in self.intended if new == record.key}
        stronger = {*self.superseded.get(record.key, ()), *(old for _, old in intended)}
        return (
            intended
            | {("AMENDS", other) for other in self.amended.get(record.key, ())}
            | {
                (link.relation, link.key)
                for link in record.links
                if link.key in self.known and link.key != record.key and link.relation != "AMENDED_BY"
                if not (link.relation == "MENTIONS" and link.key in stronger)
            }
        )

    def _report(self, key: str, text: str) -> None:
        self.findings.append(Finding(key, text))
