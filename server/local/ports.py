"""Ports of this machine: whether they are free, and which process uses them.

Source: SVC-9.
"""

import socket
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import psutil

from server.core.errors import PortTaken

_LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Ports:
    """The two ports of a local Neo4j, on loopback."""

    bolt: int
    browser: int


def require_free(ports: Mapping[str, int], host: str = _LOOPBACK) -> None:
    """Raise `PortTaken`, with the process, when one of `ports` (name of a setting to port) is in use on `host`."""
    require_distinct(ports)
    for setting, port in ports.items():
        if not _is_in_use(host, port):
            continue
        process = find_listener(port)
        by = f"by {_name(process)} (process {process.pid})" if process else "by another user's process"
        raise PortTaken(
            f"Port {port} is in use {by}: stop it, or set {setting} to another port.",
            {"port": port, "setting": setting, "pid": process.pid if process else None},
        )


def require_distinct(ports: Mapping[str, int]) -> None:
    """Raise `PortTaken` when two of `ports` (name of a setting to port) are the same."""
    seen: dict[int, str] = {}
    for setting, port in ports.items():
        if port in seen:
            raise PortTaken(f"{seen[port]} and {setting} are both {port}: use different ports.", {"port": port})
        seen[port] = setting


def find_listener(port: int) -> psutil.Process | None:
    """Find the process that listens on a TCP port, if this user may see it."""
    try:
        connections = psutil.net_connections("tcp")
    except psutil.AccessDenied:  # macOS shows the connections of all processes only to root
        return next((process for process in psutil.process_iter() if _listens(process, port)), None)
    pid = next((each.pid for each in connections if each.pid and _is_listening(each, port)), None)
    return psutil.Process(pid) if pid is not None and psutil.pid_exists(pid) else None


def free_ports(count: int) -> tuple[int, ...]:
    """Return `count` different ports that are free on loopback now."""
    with ExitStack() as stack:
        found = []
        for _ in range(count):
            probe = stack.enter_context(socket.socket())
            probe.bind((_LOOPBACK, 0))
            found.append(int(probe.getsockname()[1]))
        return tuple(found)


def _is_listening(connection: Any, port: int) -> bool:
    return bool(connection.status == psutil.CONN_LISTEN and connection.laddr[1] == port)


def _listens(process: psutil.Process, port: int) -> bool:
    try:
        return any(_is_listening(each, port) for each in process.net_connections("tcp"))
    except psutil.Error:  # it has ended, or belongs to another user
        return False


def _name(process: psutil.Process) -> str:
    try:
        return str(process.name())
    except psutil.Error:
        return "a process that has ended"


def _is_in_use(host: str, port: int) -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        # Closed connections stay on a port for a while, but do not prevent binding it.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return True
    return False
