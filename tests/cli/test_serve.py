"""How `precedent serve` sets up its HTTP server."""

import pytest
from fastapi import FastAPI

from cli.serve import build_http_config
from server.core.settings import Settings

_LONGEST_REUSE = 60
"""Seconds: the age up to which common HTTP clients and proxies reuse an idle connection."""


@pytest.mark.proves("SVC-86")
def test_an_idle_connection_stays_open_longer_than_clients_reuse_theirs_and_a_stop_waits_for_calls() -> None:
    config = build_http_config(FastAPI(), Settings())
    assert config.timeout_keep_alive > _LONGEST_REUSE
    assert config.timeout_graceful_shutdown == 5, "seconds for calls under way"
