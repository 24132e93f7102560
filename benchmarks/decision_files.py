"""Real decision records of four projects, laid out as files that `precedent ingest decisions` reads.

PEPs and Swift's proposals are read as they are. NATS keeps its status in a table and OpenTelemetry keeps none (what was
merged is accepted), which the reader passes over: theirs gets front matter that says the same, and becomes the section
on the decision. Hardly any of the records names what it is about, so `decision_records.txt` gives some a target.
"""

import re
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

from benchmarks.bench import DATA

PEPS, OTHERS = DATA / "peps-0001-0499.tar.gz", DATA / "decision-records.tar.gz"
_CHOSEN = Path(__file__).with_name("decision_records.txt")
_FOLDERS = {"nats/adr": "NATS", "otel/text": "OTEP", "swift/proposals": "SE"}
"""The folders of the archive, and the name that each project's records carry, as in "SE ADR 155"."""
_REPLACED = {"NATS ADR 37": "NATS ADR 15", "OTEP ADR 72": "OTEP ADR 8", "OTEP ADR 90": "OTEP ADR 49"}
"""New and old, where a text alone says that the one replaces the other."""
_NUMBER = re.compile(r"^(?:pep-|ADR-)?(\d+)")
_ROW = re.compile(r"^\|\s*(Date|Author|Status)\s*\|\s*(.*?)\s*\|\s*$", re.MULTILINE)
_TABLE = re.compile(r"^\|\s*Metadata\s*\|.*\n(?:\|.*\n)+", re.MULTILINE)
_MOVED = re.compile(r"\A(?:>.*\n)+")
_CONTENTS = re.compile(r"^\s*[-*+] \[[^\]]*\]\(#[^)]*\)\n|^<!-- [Tt][Oo][Cc].*-->\n", re.MULTILINE)
_STATUS = re.compile(r"^\**Status\**:\**\s*(.*?)\**\s*$", re.MULTILINE)
_HEADING = re.compile(r"^#{1,5} (.*)$", re.MULTILINE)
_FENCED = re.compile(r"(^```.*?^```[^\n]*$)", re.MULTILINE | re.DOTALL)
_APART = {"consequences", "implications", "alternatives", "references"}


@dataclass(frozen=True, slots=True)
class Collection:
    """One project's records: the name that they carry, and the folder that holds them."""

    project: str
    folder: Path


def chosen() -> dict[str, str]:
    """The keys of the records that are searched, each with its target or ""."""
    lines = _CHOSEN.read_text(encoding="utf-8").splitlines()
    return {key: target for key, _, target in (line.partition("\t") for line in lines)}


def unpack(folder: Path, records: Mapping[str, str], *, all_of_them: bool = False) -> list[Collection]:
    """Lays out the records of these keys below a folder, or all of both archives; `records` names their targets."""
    found: dict[str, Collection] = {}
    for project, name, text in _files():
        number = _NUMBER.match(name)
        if number is None:
            continue
        key = f"PEP {int(number[1])}" if project == "PEP" else f"{project} ADR {int(number[1])}"
        if all_of_them or key in records:
            collection = found.setdefault(project, Collection(project, folder / project))
            collection.folder.mkdir(parents=True, exist_ok=True)
            written = _readable(project, key, text, records.get(key, ""))
            (collection.folder / name).write_text(written, encoding="utf-8")
    return list(found.values())


def _files() -> Iterator[tuple[str, str, str]]:
    """Project, name and text of every file."""
    for archive in (PEPS, OTHERS):
        with tarfile.open(archive) as tar:
            for member in tar:
                path = PurePath(member.name)
                projects = [name for folder, name in _FOLDERS.items() if path.is_relative_to(folder)]
                project = "PEP" if archive is PEPS else next(iter(projects), "")
                stream = tar.extractfile(member) if member.isfile() and path.suffix in {".rst", ".md"} else None
                if project and stream:
                    yield project, path.name, stream.read().decode()


def _readable(project: str, key: str, text: str, target: str) -> str:
    """The same record in a form that the reader knows, with the target and what it replaces."""
    if project == "PEP":
        return text
    added = {"target": target, "supersedes": _REPLACED.get(key, "")}
    if project != "SE":
        text = _CONTENTS.sub("", _MOVED.sub("", text))
        told = dict(_ROW.findall(text))
        added["status"] = told.get("Status") or next(iter(_STATUS.findall(text)), "accepted")
        added |= {"date": told.get("Date", ""), "deciders": told.get("Author", "")}
        title, _, body = _STATUS.sub("", _TABLE.sub("", text)).lstrip().partition("\n")
        text = f"# {title.lstrip('# ')}\n\n## Decision\n\n{_lowered(body)}"
    lines = [f"{name}: {_quoted(value)}\n" for name, value in added.items() if value]
    return f"---\n{''.join(lines)}---\n{text}" if lines else text


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _lowered(body: str) -> str:
    """The body with its headings below the decision's, those of other parts of a record aside; code is left alone."""

    def lower(heading: re.Match[str]) -> str:
        return heading[0] if heading[1].strip().lower() in _APART else f"#{heading[0]}"

    parts = _FENCED.split(body)
    return "".join(part if part.startswith("```") else _HEADING.sub(lower, part) for part in parts)
