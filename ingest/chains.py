"""Which decision is in force, which replaced which, and what each is about: from what all records say together.

One file can be wrong about another: only one side names the other, the two contradict each other, a status word lags
behind. `resolve` follows these rules and reports every case (`Finding`). It is a pure function of the set of records,
so the order of files, runs and interruptions cannot change the outcome.

1. **A claim is a claim.** "A supersedes B" in A, or "superseded by A" in B, is enough; that only one of them says so is
   reported.
2. **Only what came into force can replace.** Where A is a draft, or was rejected or withdrawn, its claim becomes a link
   `WOULD_SUPERSEDE` and takes nothing out of force.
3. **No cycles.** Claims that both sides make go first, then what the older one says of itself, then what the newer one
   says; among equals in the order of keys. A claim that would close a circle is left out.
4. **Status.** A record that another has replaced is never in force: `superseded`, unless it was rejected, withdrawn or
   retired by its own word, which stays `deprecated`. One that names its own successor is `superseded` also where the
   successor is not among the records. Nothing puts a record in force but its own status.
5. **Target.** What the file names; else a record carries on the target of the first record that it replaces, in the
   order of keys; else its own key. A target is carried on by one record only, so along a chain there is one decision
   in force; where two replace the same one, the second is about itself.
6. **One in force per target.** What is in force in the graph stays; where files name the same target, the first by
   date and key is in force. A later one that does not say it supersedes it is refused, as `record_decision` would
   refuse it (decisions.md): what an earlier run knew of it, if anything, stays as it is.
7. **The graph has the last word.** What somebody superseded in the service stays superseded, whatever its file says.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from ingest.records import DecisionRecord, Link, Standing, natural

Status = Literal["active", "superseded", "deprecated", "draft"]
Sides = Literal["both", "old", "new"]
"""Which of the two records says that one replaces the other."""
_STATUS: dict[Standing, Status] = {
    Standing.IN_FORCE: "active",
    Standing.REPLACED: "superseded",
    Standing.RETIRED: "deprecated",
    Standing.DROPPED: "deprecated",
    Standing.PENDING: "draft",
}


@dataclass(frozen=True, slots=True)
class Claims:
    """What one record says that matters to others; kept in the graph's ledger for later runs."""

    key: str
    standing: Standing
    source_status: str
    target: str | None = None
    created: date | None = None
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
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
    """What the graph is to say about one record; the keys in it are those of records that exist."""

    status: Status
    target: str
    superseded_by: str | None = None
    supersedes: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """A disagreement between records, or a record that names one we do not have, and the rule's outcome."""

    key: str
    told: str


@dataclass(frozen=True, slots=True)
class Resolution:
    """`refused` maps a key to why it was not let in; it has no verdict."""

    verdicts: Mapping[str, Verdict]
    findings: tuple[Finding, ...]
    refused: Mapping[str, str]


def resolve(
    records: Iterable[Claims],
    holders: Mapping[str, str] | None = None,
    before: Mapping[str, Claims] | None = None,
) -> Resolution:
    """Applies the rules above to all records together.

    `holders` maps targets to what is in force for them in the graph: the key of a record, or the id of another
    decision. `before` is what an earlier run put there; a record that is refused falls back on it.
    """
    known = {record.key: record for record in sorted(records, key=lambda record: natural(record.key))}
    refused: dict[str, str] = {}
    while True:
        chains = _Chains(known)
        verdicts = chains.verdicts()
        clashes = dict(_clashes(verdicts, known, holders or {}))
        if not clashes:
            return Resolution(verdicts, tuple(chains.findings), refused)
        for key in clashes:  # without them others may stay in force, so everything is weighed again
            earlier = (before or {}).get(key)
            if earlier is None or earlier == known[key]:
                del known[key]
            else:
                known[key] = earlier
        refused |= clashes


def _clashes(
    verdicts: Mapping[str, Verdict], known: Mapping[str, Claims], holders: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    def first(key: str) -> tuple[bool, date, tuple[tuple[int, int, str], ...]]:
        return holders.get(verdicts[key].target) != key, known[key].created or date.max, natural(key)

    in_force = {target: holder for target, holder in holders.items() if holder not in known}
    for key in sorted((key for key, verdict in verdicts.items() if verdict.status == "active"), key=first):
        target = verdicts[key].target
        holder = in_force.setdefault(target, key)
        if holder != key:
            yield (
                key,
                (
                    f"CONFLICT: {holder} is in force for the target {target!r}; "
                    "name it as superseded, or give this one a target of its own"
                ),
            )


@dataclass(slots=True)
class _Chains:
    """The supersede graph of a set of records; `successors` and `replaced` hold the claims that were accepted."""

    known: Mapping[str, Claims]
    findings: list[Finding] = field(default_factory=list)
    successors: dict[str, list[str]] = field(default_factory=dict)
    replaced: dict[str, list[str]] = field(default_factory=dict)
    intended: set[tuple[str, str]] = field(default_factory=set)
    orphaned: set[str] = field(default_factory=set)
    amended: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for record in self.known.values():
            for link in record.links:
                if link.relation == "AMENDED_BY" and link.key != record.key:
                    self.amended.setdefault(link.key, []).append(record.key)
        for new, old, sides in self._claims():
            self._weigh(new, old, sides)
        for chain in (*self.successors.values(), *self.replaced.values()):
            chain.sort(key=natural)

    def _weigh(self, new: str, old: str, sides: Sides) -> None:
        """Accepts the claim that `new` replaces `old`, or says why not."""
        if new == old:
            self._find(new, "it names itself as what replaces it: left out")
        elif old not in self.known:
            self._find(new, f"it replaces {old}, which is not among the records")
        elif new not in self.known:
            self._find(old, f"it names {new} as its successor, which is not among the records")
            self.orphaned.add(old)
        elif not self.known[new].standing.came_into_force:
            self._find(new, f"it is {self.known[new].source_status!r}, so {old} is not superseded by it")
            self.intended.add((new, old))
        elif self._leads(old, new):
            self._find(new, f"that it replaces {old} would close a circle: left out")
        else:
            if sides == "new":
                self._find(new, f"it replaces {old}, which does not say so: taken as true")
            elif sides == "old":
                self._find(old, f"{new} replaces it, which does not say so: taken as true")
            self.successors.setdefault(old, []).append(new)
            self.replaced.setdefault(new, []).append(old)

    def verdicts(self) -> dict[str, Verdict]:
        targets = self._targets()
        return {
            key: Verdict(
                status=self._status(record),
                target=targets[key],
                superseded_by=next(iter(self.successors.get(key, ())), None),
                supersedes=tuple(self.replaced.get(key, ())),
                links=tuple(sorted(self._links(record))),
            )
            for key, record in self.known.items()
        }

    def _claims(self) -> list[tuple[str, str, Sides]]:
        """(new, old, who says so), the strongest first (rule 3)."""
        by_new = {(record.key, old) for record in self.known.values() for old in record.supersedes}
        by_old = {(new, record.key) for record in self.known.values() for new in record.superseded_by}

        def told(pair: tuple[str, str]) -> Sides:
            return "both" if pair in by_new and pair in by_old else "old" if pair in by_old else "new"

        order = ("both", "old", "new")
        pairs = sorted(by_new | by_old, key=lambda p: (order.index(told(p)), natural(p[0]), natural(p[1])))
        return [(*pair, told(pair)) for pair in pairs]

    def _leads(self, start: str, goal: str) -> bool:
        """Whether `start` replaced `goal`, directly or along a chain."""
        waiting, seen = [start], {start}
        while waiting:
            for old in self.replaced.get(waiting.pop(), ()):
                if old == goal:
                    return True
                if old not in seen:
                    seen.add(old)
                    waiting.append(old)
        return False

    def _status(self, record: Claims) -> Status:
        status, key = _STATUS[record.standing], record.key
        if record.replaced_in_service:
            return "superseded"
        successors = self.successors.get(key, [])
        if status in {"active", "draft"} and (successors or key in self.orphaned):
            if successors:
                self._find(key, f"it is {record.source_status!r}, and {successors[0]} has replaced it: superseded")
            return "superseded"
        if status == "superseded" and not successors and not record.superseded_by:
            self._find(key, "it is superseded, and no record says by what")
        return status

    def _targets(self) -> dict[str, str]:
        """Rule 5. Goes along the chains from the oldest, without recursion: a chain may be long."""
        targets: dict[str, str] = {}
        open_links = {key: len(self.replaced.get(key, ())) for key in self.known}
        ready = [key for key, count in open_links.items() if not count]
        while ready:
            key = ready.pop()
            heir_of = (old for old in self.replaced.get(key, ()) if self.successors[old][0] == key)
            olds = (targets[old] for old in heir_of)
            targets[key] = self.known[key].target or next(olds, key)
            for new in self.successors.get(key, ()):
                open_links[new] -= 1
                if not open_links[new]:
                    ready.append(new)
        return targets

    def _links(self, record: Claims) -> set[tuple[str, str]]:
        would = {("WOULD_SUPERSEDE", old) for new, old in self.intended if new == record.key}
        stronger = {*self.replaced.get(record.key, ()), *(old for _, old in would)}
        return (
            would
            | {("AMENDS", other) for other in self.amended.get(record.key, ())}
            | {
                (link.relation, link.key)
                for link in record.links
                if link.key in self.known and link.key != record.key and link.relation != "AMENDED_BY"
                if not (link.relation == "MENTIONS" and link.key in stronger)
            }
        )

    def _find(self, key: str, told: str) -> None:
        self.findings.append(Finding(key, told))
