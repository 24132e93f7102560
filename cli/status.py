"""What `precedent status` shows: the processes of this machine and the health that the service reports."""

from typing import Any

import httpx2

from server.core.settings import Settings
from server.local.connection import find_service, local_paths
from server.local.status import load_status
from server.vectors.damage import find_set_aside


def build_status(settings: Settings) -> dict[str, Any]:
    """Return what runs, where, and how many records wait to be indexed; `healthy` if service and graph answer."""
    home = local_paths(settings).home
    found = load_status(home)
    shown: dict[str, Any] = {
        "service": "running" if found.is_running else "not running",
        "healthy": False,
        "home": str(home.root),
        "log": str(home.log),
    }
    if found.owner is not None:
        shown |= {
            "command": f"precedent {found.owner.command}",
            "pid": found.owner.pid,
            "since": found.owner.since,
            **{f"{name}_port": port for name, port in found.owner.ports.items()},
        }
    if settings.local:
        shown["neo4j_pid"] = found.neo4j_pid
        if aside := find_set_aside(home.vectors):
            shown["vectors_set_aside"] = f"{aside.at}: {aside.reason}; delete {aside.folder} when nobody needs it"
        if found.owner is not None and found.owner.ports.keys() >= {"bolt", "browser"}:
            ports = {f"{name}_port": found.owner.ports[name] for name in ("bolt", "browser")}
            shown["browser"] = settings.model_copy(update=ports).browser_url
        if found.has_leftover:
            shown["leftover"] = "the Neo4j of a killed service still runs; the next start or `precedent stop` ends it"
    return shown | _health((find_service(settings) or settings).service_url)


def _health(url: str) -> dict[str, Any]:
    try:
        answer = httpx2.get(f"{url}/healthcheck", timeout=10.0)
        health = answer.json()
    except (httpx2.HTTPError, ValueError):
        return {}
    return {
        "healthy": answer.status_code == httpx2.codes.OK,
        "url": url,
        "version": health.get("version"),
        "uptime_seconds": health.get("uptime"),
        "graph": "answers" if health.get("database", {}).get("connected") else "does not answer",
        "vectors": _describe_vectors(health),
        "unprojected": health.get("unprojected"),
    }


def _describe_vectors(health: dict[str, Any]) -> str:
    if not health.get("following"):
        return "not available"
    if health.get("recreating"):
        return "being recreated; search finds by words until then"
    return "catching up" if health.get("unprojected") else "in sync"
