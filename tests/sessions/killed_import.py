"""An import in a process of its own that dies, as by `kill -9`, at the moment named by its last argument.

Arguments: URI, user and password of the graph; namespace; file; mode; `staging`, `switching` or `switched`.
"""

import io
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

import anyio

from server.graph.graph import Graph, Transaction, connect
from server.graph.sequence import IdSequence
from server.retrieval.writing import PassageWriter
from server.sessions.importing import Importer
from server.sessions.linking import Linker


class Model:
    """The properties of the embedding model that an import reads."""

    name, dimension, fingerprint = "m", 384, "m"


def _die() -> NoReturn:
    os._exit(9)  # nothing is cleaned up, no connection closed


def _dying(moment: str) -> None:
    """Patches the statements that end the process: after the second staged batch, or before the switch commits."""
    run, run_within = Graph.run, Transaction.run
    staged = 0

    async def graph_run(self: Graph, name: str, /, **parameters: Any) -> Any:
        nonlocal staged
        rows = await run(self, name, **parameters)
        staged += name == "sessions/stage_records"
        if moment == "staging" and staged == 2:
            _die()
        return rows

    async def transaction_run(self: Transaction, name: str, /, **parameters: Any) -> Any:
        rows = await run_within(self, name, **parameters)
        if moment == "switching" and name == "sessions/switch":
            _die()
        return rows

    Graph.run = graph_run  # type: ignore[method-assign]
    Transaction.run = transaction_run  # type: ignore[method-assign]


async def main(*arguments: str) -> None:
    uri, user, password, namespace, file, mode, moment = arguments
    _dying(moment)
    async with connect(uri, user, password) as graph:
        ids = IdSequence(graph)
        linker = Linker(graph, ids, PassageWriter(graph, ids), lambda: None)
        model: Any = Model()
        wanted: Any = mode
        lines = io.BytesIO(Path(file).read_bytes())  # noqa: ASYNC240 - nothing else runs
        await Importer(graph, model, linker).run(lines, wanted, namespace)
    _die()


if __name__ == "__main__":
    anyio.run(main, *sys.argv[1:])
