"""A service that others can reach does not start without a credential."""

from pathlib import Path
from typing import Any

import pytest

from server.access.tokens import Tokens
from server.app import open_app
from server.core.errors import SetupError
from server.core.principals import Role
from server.core.settings import Settings
from server.graph.graph import Graph

pytestmark = pytest.mark.anyio


@pytest.mark.proves("SVC-22")
@pytest.mark.usefixtures("no_passages")
async def test_without_loopback_and_credential_the_start_is_refused_with_advice(
    neo4j: tuple[str, str, str], graph: Graph, tmp_path: Path
) -> None:
    uri, user, password = neo4j
    there: dict[str, Any] = {
        "NEO4J_URI": uri,
        "NEO4J_USERNAME": user,
        "NEO4J_PASSWORD": password,
        "AGENT_MEMORY_SECRET": None,
    }
    settings = Settings(**there, PRECEDENT_HOST="0.0.0.0", PRECEDENT_HOME=tmp_path)
    with pytest.raises(SetupError, match="precedent token create --name"):
        async with open_app(settings):
            raise AssertionError("nobody may come in")
    tokens = Tokens(graph)
    await tokens.create("ada", kind="human", role=Role.ADMIN, namespace="default")
    try:
        async with open_app(settings) as app:
            assert app.settings.host == "0.0.0.0"
    finally:
        await tokens.revoke("ada")
