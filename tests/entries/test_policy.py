"""Secrets are never stored, answered or logged. Source: MEM-14, MEM-15, MEM-16."""

from typing import Any

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from server.core.errors import PolicyBlocked
from server.core.principals import Principal
from server.entries.policy import require_no_secret
from tests.conftest import Cypher
from tests.entries.conftest import Agent, Make

SECRETS = {
    "openai_secret_key": "sk-" + "aB3_-x9Zq1",
    "aws_access_key": "AKIA" + "0123456789ABCDEF",
    "github_token": "ghp_" + "a1B2c3D4e5F6g7H8i9J0",
    "precedent_token": "precedent_" + "aB3_-x9Zq1" * 4 + "abc",
    "private_key": "-----BEGIN RSA PRIVATE " + "KEY-----\nMIIE",
}
BLOCKS = ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA "]
HARMLESS = [
    "risk-management-plan-2026",
    "task-1234567890",
    "sk-short",
    "AKIA0123456789ABCDE",
    "AKIA0123456789ABCDEFG",
    "akia0123456789abcdef",
    "ghp_tooshort",
    "xghp_a1B2c3D4e5F6g7H8i9J0",
    "-----BEGIN PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----",
    "PRIVATE KEY",
]

around = st.text(st.characters(categories=["Zs", "Po", "Lo"]), max_size=20)


@pytest.mark.proves("MEM-14")
@given(st.sampled_from(sorted(SECRETS)), around, around)
def test_a_secret_is_blocked_wherever_it_is_a_word(name: str, before: str, after: str) -> None:
    with pytest.raises(PolicyBlocked) as blocked:
        require_no_secret(f"{before} {SECRETS[name]} {after}")
    assert blocked.value.details == {"pattern": name}
    assert SECRETS[name] not in str(blocked.value)


@pytest.mark.proves("MEM-14")
@pytest.mark.parametrize("kind", BLOCKS)
def test_every_kind_of_private_key_is_blocked(kind: str) -> None:
    with pytest.raises(PolicyBlocked):
        require_no_secret(f"-----BEGIN {kind}PRIVATE " + "KEY-----")
    with pytest.raises(PolicyBlocked):
        require_no_secret("-----BEGIN PGP PRIVATE " + "KEY BLOCK-----")


@pytest.mark.proves("MEM-14", "MEM-17")
@pytest.mark.parametrize("text", HARMLESS)
def test_a_text_that_only_resembles_a_secret_is_allowed(text: str) -> None:
    require_no_secret(text)


@pytest.mark.proves("MEM-15")
@given(st.recursive(st.text("ab ", max_size=5), lambda inner: st.lists(inner) | st.dictionaries(st.text("c"), inner)))
def test_a_secret_is_blocked_at_any_depth_and_in_keys(value: Any) -> None:
    secret = SECRETS["aws_access_key"]
    require_no_secret(value)
    for hidden in ([value, [secret]], {"k": [value, {"deep": secret}]}, {"k": value, secret: 1}):
        with pytest.raises(PolicyBlocked):
            require_no_secret(hidden)


@pytest.mark.proves("MEM-15", "MEM-16")
@pytest.mark.anyio
@pytest.mark.parametrize("name", sorted(SECRETS))
@pytest.mark.parametrize("field", ["text", "title", "source_ref", "metadata", "metadata key", "project", "session_id"])
async def test_a_secret_is_neither_stored_nor_logged_nor_answered(
    name: str, field: str, make: Make, principal: Principal, cypher: Cypher
) -> None:
    secret = SECRETS[name]
    arguments: dict[str, Any] = {"text": "harmless", field: f"it is {secret}"}
    if field.startswith("metadata"):
        arguments = {"text": "harmless", "metadata": {"a": [secret]} if field == "metadata" else {secret: 1}}
    with structlog.testing.capture_logs() as logs:
        async with Agent(make(), principal).connected() as agent:
            error = await agent.refused("save_memory", **arguments)
    assert (error["code"], error["details"]) == ("POLICY_BLOCKED", {"pattern": name})
    assert error["message"].startswith("Input blocked by sensitive-data policy")
    assert logs
    for text in (error, logs):
        assert secret not in str(text)
        assert secret[4:] not in str(text)
    assert await cypher("MATCH (n {namespace: $namespace}) RETURN labels(n)") == []
