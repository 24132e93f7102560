"""Embeds stored texts on a Ray cluster: bulk work for more processors than this machine has.

The extra `ray` installs Ray, on this machine and on the nodes of the cluster, which have Precedent installed as well;
nothing else imports it. `RAY_ADDRESS` names the cluster; without it Ray starts on this machine. The files of the model
travel with the work, so the nodes need no model of their own. Source: SVC-89.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from anyio import to_thread

from server.core.errors import EmbeddingUnavailable, SetupError
from server.core.settings import disable_usage_reports
from server.embedding.embedder import Embedder, FastEmbedder

_TEXTS = 64
"""Texts of one task: enough that sending them costs little, and few enough to share the work evenly."""


class RayEmbedder:
    """An `Embedder` whose passages are embedded by workers of a Ray cluster; queries are embedded here."""

    def __init__(self, local: Embedder, workers: Sequence[Any]) -> None:
        """`workers` are handles of Ray actors that have `_Worker`'s methods."""
        self.name, self.dimension, self.fingerprint = local.name, local.dimension, local.fingerprint
        self.workers = len(workers)
        self._local = local
        self._idle: asyncio.Queue[Any] = asyncio.Queue()
        for worker in workers:
            self._idle.put_nowait(worker)

    async def embed_query(self, text: str) -> list[float]:
        return await self._local.embed_query(text)

    async def embed_passages(self, texts: Sequence[str], *, urgent: bool = False) -> list[list[float]]:
        if urgent:
            return await self._local.embed_passages(texts, urgent=True)
        # Texts of similar length share a task, so that little is padded.
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        tasks = [order[start : start + _TEXTS] for start in range(0, len(order), _TEXTS)]
        vectors: dict[int, list[float]] = {}

        async def embed(task: Sequence[int]) -> None:
            worker = await self._idle.get()
            try:
                done = await worker.embed.remote([texts[index] for index in task])
            except Exception as error:
                # Ray's errors wrap those of the worker, which may be of any class.
                raise EmbeddingUnavailable(
                    "A worker of the Ray cluster failed or ended. Run the same command again: it goes on."
                ) from error
            finally:
                self._idle.put_nowait(worker)
            vectors.update(zip(task, done, strict=True))

        await asyncio.gather(*map(embed, tasks))
        return [vectors[index] for index in range(len(texts))]


class _Worker:
    """An actor: the model in a process of the cluster."""

    def __init__(self, files: Mapping[str, bytes], fingerprint: str) -> None:
        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name)
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        self._model = asyncio.run(FastEmbedder.load(folder))
        assert self._model.fingerprint == fingerprint

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return asyncio.run(self._model.embed_passages(texts))


@asynccontextmanager
async def embed_on_ray(local: FastEmbedder) -> AsyncIterator[RayEmbedder]:
    """Give an embedder with one worker for each processor of the cluster; the workers end with the block.

    Raises `SetupError` where Ray is not installed or cannot be reached.
    """
    try:
        ray: Any = import_module("ray")
    except ModuleNotFoundError as error:
        raise SetupError("Ray is not installed: install Precedent with the extra `ray`.") from error
    disable_usage_reports()
    files = await to_thread.run_sync(_read_files, local.folder)
    already = ray.is_initialized()
    try:
        # In this thread: Ray's processes end with the thread that started them.
        ray.init(log_to_driver=False, ignore_reinit_error=True)
    except (ConnectionError, OSError, ValueError) as error:
        raise SetupError("The Ray cluster cannot be reached; check RAY_ADDRESS.") from error
    try:
        model = ray.put(files)
        actor = ray.remote(_Worker)
        processors = max(1, int(ray.cluster_resources().get("CPU", 1)))
        yield RayEmbedder(local, [actor.remote(model, local.fingerprint) for _ in range(processors)])
    finally:
        if not already:
            await to_thread.run_sync(ray.shutdown)


def _read_files(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}
