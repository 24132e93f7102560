"""The server profile, as far as it can be checked where no container runs."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from server.core.settings import Settings

_COMPOSE: dict[str, Any] = yaml.safe_load(Path("docker-compose.yml").read_text())
_SERVICES: dict[str, dict[str, Any]] = _COMPOSE["services"]
_RUNNING = sorted(name for name, service in _SERVICES.items() if "profiles" not in service)
_NAMES = {str(field.validation_alias) for field in Settings.model_fields.values()}


@pytest.mark.proves("SVC-10")
@pytest.mark.parametrize("name", ["precedent", "ingest"])
def test_every_name_that_precedent_gets_is_a_setting(name: str) -> None:
    assert set(_SERVICES[name]["environment"]) - _NAMES == set()


@pytest.mark.proves("SVC-10")
@pytest.mark.parametrize("name", sorted(_SERVICES))
def test_every_container_has_limits_and_no_privileges(name: str) -> None:
    service = _SERVICES[name]
    assert service["deploy"]["resources"]["limits"].keys() == {"cpus", "memory"}
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    is_root = "build" not in service and "unprivileged" not in service["image"] and "user" not in service
    assert not is_root, "the Dockerfile and the unprivileged image have a user of their own"


def test_the_memory_of_neo4j_fits_its_limit() -> None:
    environment = _SERVICES["neo4j"]["environment"]
    used = [
        int(environment[f"NEO4J_server_memory_{name}_size"].removesuffix("g")) for name in ("heap_max_", "pagecache")
    ]
    assert sum(used) < int(_SERVICES["neo4j"]["deploy"]["resources"]["limits"]["memory"].removesuffix("g"))


@pytest.mark.proves("SVC-10")
def test_batch_ingestion_starts_on_demand_alone_and_reads_a_folder_that_it_cannot_change() -> None:
    ingest, service = _SERVICES["ingest"], _SERVICES["precedent"]
    assert ingest["profiles"] == ["ingest"]
    assert "ports" not in ingest
    assert ingest["entrypoint"] == ["precedent", "ingest"]
    stores = {name: value for name, value in service["environment"].items() if name.startswith(("NEO4J_", "QDRANT_"))}
    assert stores.items() <= ingest["environment"].items(), "it writes where the service reads"
    cache, sources = ingest["volumes"]
    assert cache == service["volumes"][0], "the embedding model is there"
    assert sources == f"${{PRECEDENT_SOURCES:-.}}:{ingest['working_dir']}:ro"
    assert not ingest["environment"]["PRECEDENT_HOME"].startswith("/data"), "the service owns that home"


def test_the_image_sets_nothing_but_settings() -> None:
    lines = re.findall(r"^ENV (.+)$", Path("Dockerfile").read_text(), re.MULTILINE)
    assert {pair.split("=")[0] for line in lines for pair in line.split()} - _NAMES == set()


def test_vectors_go_over_grpc() -> None:
    assert _SERVICES["precedent"]["environment"]["QDRANT_GRPC_PORT"] == "6334"


@pytest.mark.proves("SVC-10")
def test_precedent_is_published_and_for_this_machine_alone_browser_and_bolt() -> None:
    published = {name: service["ports"] for name, service in _SERVICES.items() if "ports" in service}
    assert published.keys() == {"precedent", "neo4j"}
    assert {port.rpartition(":")[2] for port in published["neo4j"]} == {"7474", "7687"}
    for port in published["neo4j"]:
        assert port.startswith("127.0.0.1:"), "no setting opens the graph to others"
        assert set(re.findall(r"\$\{(\w+)", port)) <= _NAMES
    assert all("network_mode" not in service for service in _SERVICES.values())


@pytest.mark.parametrize("name", _RUNNING)
def test_every_service_has_a_health_check_a_volume_and_comes_back(name: str) -> None:
    service = _SERVICES[name]
    assert service["healthcheck"]["test"]
    assert service["restart"] == "unless-stopped"
    (volume,) = service["volumes"]
    assert volume.split(":")[0] in _COMPOSE["volumes"]


@pytest.mark.proves("SVC-10")
def test_secrets_come_from_the_environment_and_are_asked_for() -> None:
    text = Path("docker-compose.yml").read_text()
    for secret in ("NEO4J_PASSWORD", "AGENT_MEMORY_SECRET"):
        assert f"${{{secret}:?" in text, f"{secret} has no default"
    assert _SERVICES["neo4j"]["image"].startswith("neo4j:5.26")


@pytest.mark.proves("SVC-10")
def test_the_image_runs_as_nobody_special_and_holds_what_the_package_needs() -> None:
    lines = Path("Dockerfile").read_text().splitlines()
    assert lines.index("USER precedent") < next(i for i, line in enumerate(lines) if line.startswith("CMD"))
    copied = " ".join(line for line in lines if line.startswith("COPY"))
    for folder in ("cypher", "server", "ingest", "cli"):
        assert f"COPY {folder} " in copied
        assert f"!{folder}" in Path(".dockerignore").read_text().splitlines()


def test_the_settings_of_the_container_are_accepted() -> None:
    environment: dict[str, Any] = {
        name: re.sub(r"\$\{\w+:[-?]?([^}]*)\}", lambda match: match[1] or "x", str(value))
        for name, value in _SERVICES["precedent"]["environment"].items()
    }
    settings = Settings(**environment)
    assert not settings.local
    assert not settings.loopback
    assert settings.qdrant_url == "http://qdrant:6333"
