"""What a fit can be told, and the hash by which a net is known to be made that way."""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class NetSettings:
    """How one of the two nets is trained."""

    hidden: int
    batch: int
    rate: float
    decay: float
    passes: int
    final_passes: int  # over the games with sound labels only, at the end


@dataclass(frozen=True)
class FitSettings:
    """How both are trained, and with what."""

    files: tuple[str, ...]  # names with numbers of positions
    value: NetSettings
    policy: NetSettings
    label_scale: float  # what scores of value-only files are multiplied with
    validation: float  # share of the games
    seed: int

    def hash(self) -> bytes:
        """32 bytes that stand for these settings."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).digest()


def name_with_size(path: Path, positions: int) -> str:
    """How a file is named in settings."""
    return f"{path.name}:{positions}"
