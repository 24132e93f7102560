"""What a search of decisions takes, and how many it returns."""

import pytest

from server.core.errors import InvalidArgument
from server.decisions.models import SearchDecisions
from tests.decisions.conftest import Caller, Store

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("query", ""),
        ("query", " \n"),
        ("query", "x" * 10_001),
        ("query", 7),
        ("limit", 0),
        ("limit", 21),
        ("limit", "5"),
        ("limit", True),
        ("limit", 5.5),
        ("limit", None),
        ("mode", "Strict"),
        ("mode", None),
        ("namespace", "other"),
    ],
)
@pytest.mark.proves("DEC-26")
def test_a_bad_argument_is_named(field: str, value: object) -> None:
    with pytest.raises(InvalidArgument, match=field):
        SearchDecisions.parse({"query": "anything", field: value})


@pytest.mark.proves("DEC-26")
async def test_the_limit_holds_and_is_five_where_none_is_said(viewer: Caller, store_decisions: Store) -> None:
    await store_decisions(*({"title": f"Annotations, rule {n}"} for n in range(25)))
    assert len(await viewer.search("annotations")) == 5
    assert len(await viewer.search("annotations", limit=20)) == 20
