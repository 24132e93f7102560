"""The description of the routes is true: valid, complete, and every error in the one form."""

import re
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator, validate

from server.rest.app import build_api

DESCRIPTION: dict[str, Any] = build_api().openapi()
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


@pytest.mark.proves("SVC-60")
def test_it_is_valid_openapi_3_1() -> None:
    assert DESCRIPTION["openapi"].startswith("3.1.")
    validate(DESCRIPTION, cls=OpenAPIV31SpecValidator)


@pytest.mark.proves("SVC-61")
def test_its_page_introduces_the_whole_service() -> None:
    said = " ".join(DESCRIPTION["info"]["description"].split())
    assert {tag["name"] for tag in DESCRIPTION["tags"]} <= set(re.findall(r"\w+", said)), "every family"
    for what in ("/mcp", "/openapi.json", "Neo4j Browser", "Authorization: Bearer", "precedent token create"):
        assert what in said
    named = {(path, method.lower()) for method, path in re.findall(r"`(GET|POST) (/[\w/]+)`", said)}
    assert len(named) == 8
    assert named <= {(path, method) for path, method, _ in OPERATIONS}, "what it names is there"


@pytest.mark.proves("SVC-60")
def test_it_has_every_endpoint_of_the_specification() -> None:
    assert {(path, method) for path, method, _ in OPERATIONS} >= SPECIFIED


@pytest.mark.proves("SVC-60")
@_each
def test_every_operation_has_a_tag_an_id_and_a_summary(path: str, method: str, operation: dict[str, Any]) -> None:
    assert operation["tags"][0] in {tag["name"] for tag in DESCRIPTION["tags"]}
    assert operation["operationId"].isidentifier()
    assert operation["description"].endswith(".")


@pytest.mark.proves("SVC-54")
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
