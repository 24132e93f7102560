"""Files of lines, plain or gzipped, read as a stream in constant memory; and lines of JSON."""

import gzip
import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

MAX_LINE = 1_000_000
"""Bytes of one line; a longer one is set aside without being held in memory."""
UNUSABLE = f"it is not UTF-8 text, or longer than {MAX_LINE:,} bytes"

_GZIP = b"\x1f\x8b"
Line = tuple[int, str | None]
"""Number and text of a line; None in place of a text that cannot be used."""


@dataclass(frozen=True, slots=True)
class Unread:
    """Why a line holds no JSON that can be used."""

    reason: str


class _Counted(io.RawIOBase):
    """The raw bytes of a file, telling how far it is read."""

    def __init__(self, path: Path, at: Callable[[float], None]) -> None:
        self._raw = path.open("rb", buffering=0)
        self._size = max(path.stat().st_size, 1)
        self._at = at

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        count = self._raw.readinto(buffer)
        self._at(min(self._raw.tell() / self._size, 1.0))
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


@contextmanager
def opened(path: Path, at: Callable[[float], None]) -> Iterator[IO[bytes]]:
    """The bytes of a file, unpacked where it is gzipped; `at` hears which share (0..1) of it has been read."""
    with io.BufferedReader(_Counted(path, at), buffer_size=1 << 16) as buffered:
        if buffered.peek(2)[:2] != _GZIP:
            yield buffered
            return
        with gzip.GzipFile(fileobj=buffered) as unpacked, io.BufferedReader(unpacked, buffer_size=1 << 16) as lines:
            yield lines


def lines_of(stream: IO[bytes]) -> Iterator[Line]:
    """Yields every line of UTF-8 text, in memory that the longest usable line bounds."""
    number = 0
    while raw := stream.readline(MAX_LINE):
        number += 1
        whole = len(raw) < MAX_LINE or raw.endswith(b"\n")
        while not whole:
            rest = stream.readline(MAX_LINE)
            whole = len(rest) < MAX_LINE or rest.endswith(b"\n")
            raw = b"\xff"  # too long: as unusable as bytes that are no text
        try:
            yield number, raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            yield number, None


def json_values(lines: Iterator[Line]) -> Iterator[tuple[int, Any]]:
    """Yields the number and the value of each line of JSON, empty ones left out, or an `Unread`."""
    for number, text in lines:
        if text is None:
            yield number, Unread(UNUSABLE)
        elif text.strip():
            try:
                value = json.loads(text, parse_constant=no_constant)
            except RecursionError:
                value = Unread("it is no JSON that can be read: nested too deeply")
            except ValueError as error:
                value = Unread(f"it is no JSON: {getattr(error, 'msg', error)}")
            yield number, value


def no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")
