"""REST under schemathesis: whatever is sent, what comes back is what /openapi.json says of it.

Every operation gets its own examples, the edges of what its schema allows, and generated requests, valid and not; then
answers are followed to further requests by the links of the description (`server/rest/links.py`). How: `fuzzing.toml`.
TEST_FUZZ_EXAMPLES says how many examples: two in `make test`, 200 in `make fuzz`.
"""

import json
import os
import sys
from pathlib import Path

import anyio
import pytest

from server.access.bearer import CALLER_HEADER
from server.app import App
from tests.interaction.conftest import SECRET
from tests.interaction.serving import served

pytestmark = pytest.mark.anyio
_CONFIG = Path(__file__).with_name("fuzzing.toml")
_EXAMPLES = os.environ.get("TEST_FUZZ_EXAMPLES")
_PHASES = ("Examples", "Coverage", "Fuzzing", "Stateful")


@pytest.mark.proves("SVC-60")
@pytest.mark.timeout(300 if _EXAMPLES is None else 7200)  # some 1,300 requests, on a machine that may be busy
async def test_whatever_is_sent_the_answer_is_one_that_is_described(app: App, namespace: str, tmp_path: Path) -> None:
    caller = {"name": "tester", "kind": "human", "role": "admin", "namespace": namespace}
    async with served(app) as port:
        told = await anyio.run_process(
            [
                *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(_CONFIG), "run"),
                *(f"http://127.0.0.1:{port}/openapi.json", "--no-color"),
                *("--header", f"Authorization: Bearer {SECRET}"),
                *("--header", f"{CALLER_HEADER}: {json.dumps(caller)}"),
                *(() if _EXAMPLES is None else ("-n", _EXAMPLES)),
            ],
            cwd=tmp_path,
            check=False,
        )
    said = told.stdout.decode()
    # Of what failed, each line's beginning: a generated URL is long.
    shown = "\n".join(line[:300] for line in (said + told.stderr.decode()).splitlines())
    assert told.returncode == 0, shown
    operations = sum(len(each) for each in app.http.openapi()["paths"].values())
    assert f"Tested: {operations}" in said, shown
    for phase in _PHASES:
        assert f"✅ {phase}" in said, shown
    assert "API Links:    0 covered" not in said, shown
