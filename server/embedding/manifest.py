"""The manifest of a model's folder in the cache: what fastembed needs to load it, and what identifies its vectors."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from fastembed import TextEmbedding
from fastembed.common.model_description import ModelSource, PoolingType

from server.core.files import sha256_of
from server.core.types import Pooling, Precision

_MANIFEST = "manifest.json"
_POOLING: Mapping[Pooling, PoolingType] = {
    "mean": PoolingType.MEAN, "cls": PoolingType.CLS, "last": PoolingType.LAST_TOKEN, "none": PoolingType.DISABLED,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelManifest:
    """`files` has the checksum of each file by its name. Without `pooling`, fastembed knows the model by its name.

    `fingerprint` identifies the vectors of the model itself. `samples` identifies the texts whose mean is subtracted
    from them (`server/embedding/centring.py`); empty for the default model and in folders of an earlier release.
    `requested` is the choice that the folder was made for, where it is not the default model.
    """

    name: str
    dimension: int
    max_tokens: int
    fingerprint: str
    files: dict[str, str]
    precision: Precision = "float32"
    query_prefix: str = ""
    passage_prefix: str = ""
    pooling: Pooling | None = None
    model_file: str = "model.onnx"
    requested: dict[str, Any] = field(default_factory=dict)
    samples: str = ""

    @property
    def vector_fingerprint(self) -> str:
        """What identifies the vectors that an embedder makes with the folder: centred ones are another space."""
        if not self.samples:
            return self.fingerprint
        return hashlib.sha256(f"{self.fingerprint} {self.samples}".encode()).hexdigest()[:32]

    @classmethod
    def read(cls, folder: Path) -> "ModelManifest":
        """Read the manifest of a folder. Raises `OSError`, `ValueError`, `TypeError`, `KeyError`."""
        stored = json.loads((folder / _MANIFEST).read_text("utf-8"))
        return cls(**{each.name: stored[each.name] for each in fields(cls) if each.name in stored})

    @classmethod
    def find(cls, folder: Path) -> "ModelManifest | None":
        """Return the manifest of a folder, if it has a valid one."""
        try:
            return cls.read(folder)
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def write(self, folder: Path) -> None:
        (folder / _MANIFEST).write_text(json.dumps(asdict(self), ensure_ascii=False), "utf-8")

    def is_intact(self, folder: Path) -> bool:
        """Return whether the folder has all files with their checksums; blocking."""
        try:
            return all(sha256_of(folder / name) == sha256 for name, sha256 in self.files.items())
        except OSError:
            return False

    def open_model(self, folder: Path) -> TextEmbedding:
        """Load the model of a folder; blocking. It raises errors of any class."""
        name = self.name
        if self.pooling is not None:
            name = f"precedent/{self.fingerprint}"
            if all(each["model"] != name for each in TextEmbedding.list_supported_models()):
                TextEmbedding.add_custom_model(
                    name,
                    pooling=_POOLING[self.pooling],
                    normalization=True,
                    sources=ModelSource(hf=name),
                    dim=self.dimension,
                    model_file=self.model_file,
                )
        # With an explicit path, fastembed looks nowhere else and needs no network.
        return TextEmbedding(name, specific_model_path=str(folder), threads=1)
