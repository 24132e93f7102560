"""Secrets are generated once and only their owner can read them. Source: SVC-8."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from server.local.credentials import load_secret


@pytest.mark.proves("SVC-8")
def test_a_secret_is_made_once(tmp_path: Path) -> None:
    file = tmp_path / "secrets" / "one"
    made = load_secret(file)
    assert len(made) == 48
    assert int(made, 16)
    assert load_secret(file) == made
    assert list(file.parent.iterdir()) == [file]


def test_two_secrets_differ(tmp_path: Path) -> None:
    assert load_secret(tmp_path / "one") != load_secret(tmp_path / "two")


@pytest.mark.proves("SVC-8")
def test_only_its_owner_can_read_a_secret(tmp_path: Path) -> None:
    file = tmp_path / "secrets" / "one"
    load_secret(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_the_mode_of_a_secret_is_corrected(tmp_path: Path) -> None:
    file = tmp_path / "one"
    file.write_text("chosen by a person\n")
    file.chmod(0o644)
    assert load_secret(file) == "chosen by a person"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_concurrent_calls_get_the_same_secret(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        for number in range(20):
            file = tmp_path / str(number)
            assert len(set(pool.map(load_secret, [file] * 16))) == 1
