"""A taken port is a clear error that names who holds it. Source: SVC-9."""

import socket
import subprocess
import sys

import pytest

from server.core.errors import PortTaken
from server.local.ports import find_listener, free_ports, require_distinct, require_free

_LISTENING = """
import socket, sys
with socket.create_server(("127.0.0.1", 0)) as server:
    print(server.getsockname()[1], flush=True)
    sys.stdin.read()
"""


@pytest.mark.proves("SVC-9")
def test_a_taken_port_names_its_holder_and_the_setting_that_moves_us() -> None:
    with subprocess.Popen([sys.executable, "-c", _LISTENING], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        port = int(other.stdout.readline())
        with pytest.raises(PortTaken) as caught:
            require_free({"PRECEDENT_PORT": free_ports(1)[0], "PRECEDENT_BOLT_PORT": port})
        other.communicate()
    assert f"Port {port} is in use by python" in caught.value.message
    assert f"(process {other.pid})" in caught.value.message
    assert "PRECEDENT_BOLT_PORT" in caught.value.message
    assert caught.value.details == {"port": port, "setting": "PRECEDENT_BOLT_PORT", "pid": other.pid}
    require_free({"PRECEDENT_BOLT_PORT": port})


def test_a_port_that_is_held_on_every_address_is_taken_on_loopback_too() -> None:
    with socket.create_server(("0.0.0.0", 0)) as server, pytest.raises(PortTaken):
        require_free({"PRECEDENT_PORT": server.getsockname()[1]})


def test_a_connection_that_was_just_closed_does_not_keep_a_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as client:
            accepted, _ = server.accept()
            accepted.close()  # who closes first is left waiting
            assert client.recv(1) == b""
    require_free({"PRECEDENT_PORT": port})


def test_two_settings_with_the_same_port_are_refused() -> None:
    with pytest.raises(PortTaken, match="PRECEDENT_BOLT_PORT and PRECEDENT_BROWSER_PORT are both 7000"):
        require_distinct({"PRECEDENT_BOLT_PORT": 7000, "PRECEDENT_PORT": 7001, "PRECEDENT_BROWSER_PORT": 7000})


def test_a_free_port_has_no_listener() -> None:
    assert find_listener(free_ports(1)[0]) is None


def test_free_ports_are_different_ones() -> None:
    assert len(set(free_ports(20))) == 20
