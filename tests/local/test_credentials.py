"""Secrets are made once and are their owner's alone. Source: design.md section 7, "One home"."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from server.local.credentials import secret


def test_a_secret_is_made_once(tmp_path: Path) -> None:
    file = tmp_path / "secrets" / "one"
    made = secret(file)
    assert len(made) == 48
    assert int(made, 16)
    assert secret(file) == made
    assert list(file.parent.iterdir()) == [file]


def test_two_secrets_differ(tmp_path: Path) -> None:
    assert secret(tmp_path / "one") != secret(tmp_path / "two")


def test_only_its_owner_can_read_a_secret(tmp_path: Path) -> None:
    file = tmp_path / "secrets" / "one"
    secret(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_a_secret_that_was_opened_to_others_is_closed_again(tmp_path: Path) -> None:
    file = tmp_path / "one"
    file.write_text("chosen by a person\n")
    file.chmod(0o644)
    assert secret(file) == "chosen by a person"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_many_that_ask_at_once_are_told_the_same(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        for number in range(20):
            file = tmp_path / str(number)
            assert len(set(pool.map(secret, [file] * 16))) == 1
