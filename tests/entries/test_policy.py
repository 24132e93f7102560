"""Secrets are never stored, told or logged. Source: issue "Entries and journal", Policy; open-questions.md."""

from typing import Any

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from server.entries.policy import require_no_secret
from server.errors import PolicyBlocked
from server.principals import Principal
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


@given(st.sampled_from(sorted(SECRETS)), around, around)
def test_a_secret_is_seen_wherever_it_stands_as_a_word(name: str, before: str, after: str) -> None:
    with pytest.raises(PolicyBlocked) as blocked:
        require_no_secret(f"{before} {SECRETS[name]} {after}")
    assert blocked.value.details == {"pattern": name}
    assert SECRETS[name] not in str(blocked.value)


@pytest.mark.parametrize("kind", BLOCKS)
def test_every_kind_of_private_key_is_seen(kind: str) -> None:
    with pytest.raises(PolicyBlocked):
        require_no_secret(f"-----BEGIN {kind}PRIVATE " + "KEY-----")
    with pytest.raises(PolicyBlocked):
        require_no_secret("-----BEGIN PGP PRIVATE " + "KEY BLOCK-----")


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_a_little_like_a_secret_is_let_through(text: str) -> None:
    require_no_secret(text)


@given(st.recursive(st.text("ab ", max_size=5), lambda inner: st.lists(inner) | st.dictionaries(st.text("c"), inner)))
def test_a_secret_is_seen_at_any_depth_and_in_keys(value: Any) -> None:
    secret = SECRETS["aws_access_key"]
    require_no_secret(value)
    for hidden in ([value, [secret]], {"k": [value, {"deep": secret}]}, {"k": value, secret: 1}):
        with pytest.raises(PolicyBlocked):
            require_no_secret(hidden)


@pytest.mark.anyio
@pytest.mark.parametrize("name", sorted(SECRETS))
@pytest.mark.parametrize("field", ["text", "title", "source_ref", "metadata", "metadata key", "project", "session_id"])
async def test_nothing_is_written_logged_or_told_where_a_secret_was(
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
    for told in (error, logs):
        assert secret not in str(told)
        assert secret[4:] not in str(told)
    assert await cypher("MATCH (n {namespace: $namespace}) RETURN labels(n)") == []
