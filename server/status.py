"""What `precedent status` tells: processes from this machine, health from the service itself."""

from typing import Any

import httpx2

from server.local.status import status
from server.settings import Settings
from server.stack import paths_of


def report(settings: Settings) -> dict[str, Any]:
    """Returns what runs, where, and how far Qdrant lags; `healthy` only where the service and its graph answer."""
    home = paths_of(settings).home
    found = status(home)
    told: dict[str, Any] = {
        "service": "running" if found.is_running else "not running",
        "healthy": False,
        "home": str(home.root),
        "log": str(home.log),
    }
    if found.owner is not None:
        told |= {
            "command": f"precedent {found.owner.command}",
            "pid": found.owner.pid,
            "since": found.owner.since,
            **{f"{name}_port": port for name, port in found.owner.ports.items()},
        }
    if settings.local:
        told["neo4j_pid"] = found.neo4j_pid
        if found.has_leftover:
            told["leftover"] = "a Neo4j of a killed service runs; the next start or `precedent stop` ends it"
    port = told.get("http_port", settings.port)
    return told | _health(settings.model_copy(update={"port": port}).service_url)


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
        "vectors": "follow" if health.get("following") else "do not follow",
        "unprojected": health.get("unprojected"),
    }
