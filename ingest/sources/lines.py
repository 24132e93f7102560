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
"""Bytes of one line; a longer line is set aside and never in memory as a whole. Source: ING-55."""
UNUSABLE = f"it is not UTF-8 text, or longer than {MAX_LINE:,} bytes"

_GZIP = b"\x1f\x8b"
Line = tuple[int, str | None]
"""Number and text of a line; None instead of a text that cannot be used."""


@dataclass(frozen=True, slots=True)
class BadLine:
    """The reason why the JSON of a line cannot be used."""

    reason: str


class _Counted(io.RawIOBase):
    """The raw bytes of a file; reports which share of it has been read."""

    def __init__(self, path: Path, report: Callable[[float], None]) -> None:
        self._raw = path.open("rb", buffering=0)
        self._size = max(path.stat().st_size, 1)
        self._report = report

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        count = self._raw.readinto(buffer)
        self._report(min(self._raw.tell() / self._size, 1.0))
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


@contextmanager
def open_stream(path: Path, report: Callable[[float], None]) -> Iterator[IO[bytes]]:
    """The bytes of a file, decompressed if it is compressed; `report` takes the share (0..1) that has been read."""
    with io.BufferedReader(_Counted(path, report), buffer_size=1 << 16) as buffered:
        if buffered.peek(2)[:2] != _GZIP:
            yield buffered
            return
        with gzip.GzipFile(fileobj=buffered) as unpacked, io.BufferedReader(unpacked, buffer_size=1 << 16) as lines:
            yield lines


def read_lines(stream: IO[bytes]) -> Iterator[Line]:
    """Yield every line of UTF-8 text, in memory that the longest usable line bounds."""
    number = 0
    while raw := stream.readline(MAX_LINE):
        number += 1
        is_complete = len(raw) < MAX_LINE or raw.endswith(b"\n")
        while not is_complete:
            rest = stream.readline(MAX_LINE)
            is_complete = len(rest) < MAX_LINE or rest.endswith(b"\n")
            raw = b"\xff"  # too long: as unusable as bytes that are not text
        try:
            yield number, raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            yield number, None


def parse_json_lines(lines: Iterator[Line]) -> Iterator[tuple[int, Any]]:
    """Yield the number and value of each line of JSON, or a `BadLine`; empty lines are left out."""
    for number, text in lines:
        if text is None:
            yield number, BadLine(UNUSABLE)
        elif text.strip():
            try:
                value = json.loads(text, parse_constant=refuse_constant)
            except RecursionError:
                value = BadLine("it is not valid JSON: nested too deeply")
            except ValueError as error:
                value = BadLine(f"it is not valid JSON: {getattr(error, 'msg', error)}")
            yield number, value


def refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a valid JSON number")
