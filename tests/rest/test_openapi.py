"""The description of the routes is true: valid, complete, and every error in the one form."""

from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator, validate

from docs.http import application

DESCRIPTION: dict[str, Any] = application().openapi()
OPERATIONS = [
    (path, method, operation)
    for path, operations in DESCRIPTION["paths"].items()
    for method, operation in operations.items()
]
SPECIFIED = {
    ("/healthcheck", "get"),
    ("/memories", "post"),
    ("/memories", "get"),
    ("/memories/query", "post"),
    ("/summaries", "get"),
    ("/summaries", "delete"),
    ("/summaries/query", "post"),
    ("/sessions/summarize", "post"),
    ("/db/export", "get"),
    ("/db/import", "post"),
}
_each = pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS, ids=lambda part: str(part)[:40])


@pytest.mark.proves("rest:openapi")
def test_it_is_valid_openapi_3_1() -> None:
    assert DESCRIPTION["openapi"].startswith("3.1.")
    validate(DESCRIPTION, cls=OpenAPIV31SpecValidator)


def test_it_has_every_endpoint_of_the_specification() -> None:
    assert {(path, method) for path, method, _ in OPERATIONS} >= SPECIFIED


@_each
def test_every_operation_is_told_with_a_tag_a_name_and_a_sentence(
    path: str, method: str, operation: dict[str, Any]
) -> None:
    assert operation["tags"][0] in {tag["name"] for tag in DESCRIPTION["tags"]}
    assert operation["operationId"].isidentifier()
    assert operation["description"].endswith(".")


@_each
def test_every_failure_has_the_one_form_and_an_example(path: str, method: str, operation: dict[str, Any]) -> None:
    failures = {status: answer for status, answer in operation["responses"].items() if int(status) >= 400}
    assert "422" not in failures
    assert "500" in failures
    assert ("400" in failures) or not ({"parameters", "requestBody"} & operation.keys())
    for status, answer in failures.items():
        content = answer["content"]["application/json"]
        if (path, status) == ("/healthcheck", "503"):
            continue  # it tells its health
        assert content["schema"] == {"$ref": "#/components/schemas/Error"}
        assert set(content["example"]) == {"error", "message", "code"}
        assert answer["description"].endswith(".")


def test_every_body_and_answer_of_the_specification_shows_an_example() -> None:
    shapes = DESCRIPTION["components"]["schemas"]
    for name in ("AddMemory", "MemoryAdded", "QueryMemories", "Summary", "QuerySummaries", "Summarized", "Imported"):
        assert any("examples" in part for part in shapes[name]["properties"].values()), name
