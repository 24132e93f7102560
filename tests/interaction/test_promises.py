"""Every promise is proved by a test, and every test names promises that exist."""

import pytest

from tests.interaction.requirements import REQUIREMENTS


def test_every_promise_has_a_proof_and_every_proof_a_promise(request: pytest.FixtureRequest) -> None:
    marks = [mark for item in request.session.items for mark in item.iter_markers("proves")]
    proved = {str(name) for mark in marks for name in mark.args}
    assert proved <= set(REQUIREMENTS), "a test proves what nobody promised"
    if request.config.invocation_params.args and any(
        "tests" in str(arg) for arg in request.config.invocation_params.args
    ):
        pytest.skip("only a part of the tests was asked for")
    assert set(REQUIREMENTS) - proved == set()
