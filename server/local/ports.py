"""Ports of this machine: whether one is free, and who holds it."""

import socket
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import psutil

from server.errors import PortTaken

_LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Ports:
    """The two ports of a local Neo4j, on loopback."""

    bolt: int
    browser: int


def require_free(ports: Mapping[str, int], host: str = _LOOPBACK) -> None:
    """Raises `PortTaken`, naming who holds it, when one of `ports` (setting's name to port) is taken on `host`."""
    require_distinct(ports)
    for setting, port in ports.items():
        if not _taken(host, port):
            continue
        process = holder(port)
        by = f"by {_name(process)} (process {process.pid})" if process else "by another user's process"
        raise PortTaken(
            f"Port {port} is taken {by}: stop that, or set {setting} to another port.",
            {"port": port, "setting": setting, "pid": process.pid if process else None},
        )


def require_distinct(ports: Mapping[str, int]) -> None:
    """Raises `PortTaken` when two of `ports` (setting's name to port) are the same."""
    seen: dict[int, str] = {}
    for setting, port in ports.items():
        if port in seen:
            raise PortTaken(f"{seen[port]} and {setting} are both {port}: give each its own.", {"port": port})
        seen[port] = setting


def holder(port: int) -> psutil.Process | None:
    """The process that listens on a TCP port, as far as this user may know."""
    try:
        everyone = psutil.net_connections("tcp")
    except psutil.AccessDenied:  # macOS tells only root about everyone
        return next((process for process in psutil.process_iter() if _listens(process, port)), None)
    pid = next((each.pid for each in everyone if each.pid and _listening(each, port)), None)
    return psutil.Process(pid) if pid is not None and psutil.pid_exists(pid) else None


def free_ports(count: int) -> tuple[int, ...]:
    """So many different ports that are free on loopback now."""
    with ExitStack() as held:
        found = []
        for _ in range(count):
            probe = held.enter_context(socket.socket())
            probe.bind((_LOOPBACK, 0))
            found.append(int(probe.getsockname()[1]))
        return tuple(found)


def _listening(connection: Any, port: int) -> bool:
    return bool(connection.status == psutil.CONN_LISTEN and connection.laddr[1] == port)


def _listens(process: psutil.Process, port: int) -> bool:
    try:
        return any(_listening(each, port) for each in process.net_connections("tcp"))
    except psutil.Error:  # gone, or not ours to look at
        return False


def _name(process: psutil.Process) -> str:
    try:
        return str(process.name())
    except psutil.Error:
        return "a process that has just ended"


def _taken(host: str, port: int) -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        # Connections that have just been closed linger on a port and do not keep it from being bound again.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return True
    return False
