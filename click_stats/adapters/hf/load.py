"""Loads a model and its tokenizer, and says in one sentence what is wrong with a folder that holds none."""

from __future__ import annotations

import hashlib
import inspect
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from click_stats.errors import ClickStatsError, DataError, MissingDependencyError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.adapters.hf.settings import Settings

TOKENIZER_FILES = ("tokenizer*", "*.model", "vocab*", "*.tiktoken", "merges.txt", "*.gguf")
WEIGHT_FILES = ("*.safetensors", "*.bin", "*.gguf", "*.pt")
NO_LIMIT = 1_000_000
"""Tokenizers say that they have no limit by a number far above this."""
LENGTHS = ("max_position_embeddings", "n_positions", "max_sequence_length", "seq_length")


@dataclass(frozen=True)
class Loaded:
    """A model ready to be asked.

    Attributes
    ----------
    model, tokenizer
        As the library made them.
    device
        Where the model is.
    accepted
        Arguments that its ``forward`` names; nothing else is ever sent.
    max_length
        Tokens it can read at most; None without a limit.
    n_vocab
        Rows of its embedding: token ids are below.
    """

    model: Any
    tokenizer: Any
    device: str
    accepted: frozenset[str]
    max_length: int | None
    n_vocab: int

    @property
    def dtype(self) -> str:
        """Precision of the weights, e.g. ``float32``."""
        return str(self.model.dtype).removeprefix("torch.")

    def facts(self) -> dict[str, Any]:
        """Return what names these weights, whatever folder they were in."""
        config = self.model.config
        return {
            "architecture": type(self.model).__name__,
            "parameters": int(sum(weight.numel() for weight in self.model.parameters())),
            "commit": getattr(config, "_commit_hash", None),
            "weights": fingerprint(self.model),
            "dtype": self.dtype,
            "device": self.device.partition(":")[0],
            "attention": getattr(config, "_attn_implementation", None),
            "chat_template": _digest(str(self.tokenizer.chat_template)) if self.tokenizer.chat_template else None,
        }


def need(package: str) -> Any:
    """Return a package of the extra ``local``.

    Raises
    ------
    MissingDependencyError
        It is not installed.
    """
    try:
        return import_module(package)
    except ImportError as error:
        raise MissingDependencyError(
            f"Local models need the package {package}.",
            found=f"{type(error).__name__}: {error}",
            do="Install it: pip install 'click-stats[local]'",
        ) from error


def load(name: str, settings: Settings) -> Loaded:
    """Load a model from a folder or by its id.

    Raises
    ------
    DataError
        There is no such model, or it cannot be loaded.
    UsageError
        No name, or the device is not there.
    MissingDependencyError
        A package is not installed.
    """
    torch, transformers = need("torch"), need("transformers")
    device = pick_device(torch, settings.device)
    place = check_place(name, settings.gguf_file)
    where = {"revision": settings.revision} if settings.revision else {}
    if settings.gguf_file:
        where["gguf_file"] = settings.gguf_file
    trust = settings.trust_remote_code
    extra = {"attn_implementation": settings.attention} if settings.attention else {}
    dtype: Any = settings.dtype
    if dtype == "auto":
        dtype = torch.float32 if device == "cpu" else "auto"
    try:
        with _quiet(transformers):
            tokenizer = transformers.AutoTokenizer.from_pretrained(place, trust_remote_code=trust, **where)
            model, report = transformers.AutoModelForCausalLM.from_pretrained(
                place, dtype=dtype, trust_remote_code=trust, output_loading_info=True, **where, **extra
            )
            model.eval().to(device)
    except ClickStatsError:
        raise
    except Exception as error:
        if is_out_of_memory(error):
            raise out_of_memory(error) from error
        raise DataError(
            f"The model {name} cannot be loaded.",
            found=" ".join(f"{type(error).__name__}: {error}".split())[:500],
            do="Give the folder of a causal language model with its tokenizer, or the id of one that can be fetched.",
        ) from error
    # Weights that are not in the files would be drawn at random, and everything would seem to work.
    if report["missing_keys"]:
        raise DataError(
            f"The model {name} is not complete.",
            found=f"no weights for {', '.join(sorted(map(str, report['missing_keys']))[:3])}",
            do="Get its files again; they are not those of this architecture.",
        )
    return ready(model, tokenizer, device, settings.max_length)


def ready(model: Any, tokenizer: Any, device: str = "cpu", max_length: int | None = None) -> Loaded:
    """Return a model and tokenizer made elsewhere, as they are asked."""
    accepted = frozenset(inspect.signature(model.forward).parameters)
    config = model.config.get_text_config()
    limits = [value for value in (getattr(config, name, None) for name in LENGTHS) if isinstance(value, int)]
    own = getattr(tokenizer, "model_max_length", None)
    if not limits and isinstance(own, int) and own < NO_LIMIT:
        limits.append(own)
    limit = max_length or (min(limits) if limits else None)
    return Loaded(model, tokenizer, device, accepted, limit, int(model.get_input_embeddings().weight.shape[0]))


def check_place(name: str, gguf_file: str | None = None) -> str:
    """Return what the library is to be given for a name: a folder that holds a model, or an id.

    Raises
    ------
    DataError
        It is a folder, but not a model's, or one without tokenizer; or it is written as a path and is not there.
    UsageError
        There is no name.
    """
    if not name:
        raise UsageError("The backend names no model.", do="Write transformers:FOLDER or transformers:OWNER/NAME.")
    folder = Path(name).expanduser()
    if not folder.exists():
        if name.startswith((".", "/", "~", "\\")) or name.count("/") > 1 or "\\" in name:
            raise DataError(f"There is no folder {name}.", do="Give the folder of a model, or OWNER/NAME.")
        return name
    if folder.is_file():
        raise DataError(f"{name} is a file, not the folder of a model.", do="Give the folder it is in.")
    content = sorted(path.name for path in folder.iterdir())
    shown = ", ".join(content[:8]) or "nothing"
    if not gguf_file and "config.json" not in content:
        raise DataError(f"The folder {name} holds no model.", found=shown, do="There must be a config.json in it.")
    if not _any(folder, WEIGHT_FILES):
        raise DataError(f"The folder {name} holds no weights.", found=shown, do="Get model.safetensors into it.")
    if not _any(folder, TOKENIZER_FILES):
        raise DataError(
            f"The folder {name} holds a model without its tokenizer.",
            found=shown,
            do="Save the tokenizer beside it: tokenizer.save_pretrained(folder).",
        )
    return str(folder)


def pick_device(torch: Any, asked: str) -> str:
    """Return the device to use.

    Raises
    ------
    UsageError
        The one asked for is not there.
    """
    cuda, mps = torch.cuda.is_available(), torch.backends.mps.is_available()
    if asked == "auto":
        return "cuda" if cuda else "mps" if mps else "cpu"
    kind, _, number = asked.partition(":")
    missing = (kind == "cuda" and (not cuda or int(number or 0) >= torch.cuda.device_count())) or (
        kind == "mps" and not mps
    )
    if missing:
        there = [*(f"cuda:{i}" for i in range(torch.cuda.device_count())), *(["mps"] if mps else []), "cpu"]
        raise UsageError(f"The device {asked} is not there.", found=", ".join(there), do="Choose one of these.")
    return asked


def fingerprint(model: Any) -> str:
    """Return a digest (16 hexadecimal digits) of names, shapes and some values of a model's weights."""
    parts = []
    for name, weight in sorted(model.named_parameters()):
        some = weight.detach().flatten()[:8].float().cpu().tolist()
        parts.append(f"{name} {tuple(weight.shape)} {[float(f'{value:.4g}') for value in some]}")
    return _digest("\n".join(parts))


def is_out_of_memory(error: BaseException) -> bool:
    """Tell whether memory ran out: the devices' own error, or the one that a CPU's allocator raises."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    text = str(error).lower()
    return isinstance(error, RuntimeError) and ("out of memory" in text or "not enough memory" in text)


def out_of_memory(error: BaseException, *, batch_size: int = 1, method: str = "") -> DataError:
    """Return what to say when memory ran out."""
    advice = [f"batch_size below {batch_size}"] if batch_size > 1 else []
    advice += ["method=cache"] if method == "packed" else []
    advice += ["dtype=bfloat16 (scores move in the first decimal)", "a smaller model", "another device"]
    return DataError(
        "The memory does not suffice for this model.",
        found=" ".join(str(error).split())[:200] or type(error).__name__,
        do=f"Try {', '.join(advice)}. What was answered is stored.",
    )


def _any(folder: Path, patterns: tuple[str, ...]) -> bool:
    return any(True for pattern in patterns for _ in folder.glob(pattern))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """Keep the library from writing progress bars and remarks on the terminal while it loads."""
    logging = transformers.utils.logging
    before, bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(before)
        if bar:
            logging.enable_progress_bar()
