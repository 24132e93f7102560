"""Damaged vectors: how they are recognised, and where a damaged store is set aside.

Qdrant is a projection, so a store whose files the engine cannot read is set aside and recreated from the graph. What
passes (a full disk, a missing permission, another process) is not damage.

Source: SVC-90, SVC-91.
"""

import errno
import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from server.core.errors import DiskFull, PrecedentError, VectorsDamaged, VectorsUnavailable
from server.core.files import write_atomically
from server.vectors.store import Vector

_NORM_TOLERANCE = 0.01
"""The engine stores vectors of length 1, as 32-bit floats: their error is below 1e-6."""
_LONGEST_REASON = 300
_PASSING = (
    "permission denied",
    "too many open files",
    "cannot allocate memory",
    "resource temporarily unavailable",
    "read-only file system",
)
"""What the engine's message contains where the machine, not the store, is at fault."""
_PASSING_NUMBERS = {errno.EACCES, errno.EPERM, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.EROFS}


@dataclass(frozen=True, slots=True)
class SetAside:
    """A damaged store that was set aside: its folder, the time in ISO format, and the engine's reason."""

    folder: str
    at: str
    reason: str


def find_dead(vectors: Mapping[str, Vector]) -> set[str]:
    """Return the ids of the vectors that do not have length 1: those that the engine lost are all zeros, or empty."""
    norms = {id_: float(np.linalg.norm(np.asarray(vector, dtype="<f4"))) for id_, vector in vectors.items()}
    # A norm that is not a number is dead, too.
    return {id_ for id_, norm in norms.items() if not abs(norm - 1.0) <= _NORM_TOLERANCE}


def translate(error: BaseException, folder: Path) -> PrecedentError:
    """Return the error for the caller of an error of the engine, which has one class for all."""
    if isinstance(error, PrecedentError):
        return error
    text = str(error).lower()
    number = error.errno if isinstance(error, OSError) else None
    if number == errno.ENOSPC or "no space left" in text:
        return DiskFull("The disk of the home is full; free some space and start again.")
    if number in _PASSING_NUMBERS or isinstance(error, MemoryError) or any(each in text for each in _PASSING):
        return VectorsUnavailable(
            "The local vector store cannot be read at the moment; the service's log has the reason, and retries."
        )
    return VectorsDamaged(_format_reason(error, folder))


def _format_reason(error: BaseException, folder: Path) -> str:
    """Return the first line of an error, without the path of the home."""
    return describe(error).replace(str(folder), folder.name)


def describe(error: BaseException | None) -> str:
    """Return the first line of an error's cause, for the log: our own messages do not name it."""
    cause = error.__cause__ if isinstance(error, PrecedentError) and error.__cause__ else error
    return (str(cause).strip() or type(cause).__name__).splitlines()[0][:_LONGEST_REASON]


def set_aside(folder: Path, names: tuple[str, ...], reason: str) -> SetAside:
    """Move these files and folders of a store into one folder beside it, instead of those that were there before.

    A crash in between leaves a store without files, which is created again, or a damaged one, which is set aside again.
    """
    kept = folder / "damaged"
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir()
    made = SetAside(str(kept), datetime.now(UTC).isoformat(timespec="seconds"), reason)
    write_atomically(kept / "reason.json", json.dumps(asdict(made)))
    for name in names:
        if (folder / name).exists():
            (folder / name).rename(kept / name)
    return made


def find_set_aside(folder: Path) -> SetAside | None:
    """Return what was set aside in a folder of vectors, if anything was."""
    try:
        return SetAside(**json.loads((folder / "damaged" / "reason.json").read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
