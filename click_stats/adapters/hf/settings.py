"""Settings of a local model, from a backend's ``[options]`` and ``[generation]``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from click_stats.errors import UsageError

if TYPE_CHECKING:
    from click_stats.adapters.backend import Backend

Method = Literal["packed", "cache", "reference"]
METHODS: tuple[Method, ...] = ("packed", "cache", "reference")
"""How options are scored, fastest first."""
Normalisation = Literal["none", "token", "character", "byte"]


class Settings(BaseModel):
    """How a local model is loaded and asked.

    Attributes
    ----------
    scoring
        What is asked of the model: ``option`` ranks strings ``A: text``, ``label`` ranks ``A``, ``text`` ranks the
        texts alone, ``generate`` writes an answer greedily.
    method
        How options are scored: ``packed`` (one pass over all rotations), ``cache`` (shared beginnings are read once),
        ``reference`` (each option by itself); ``auto`` takes the first of these that agrees with ``reference``.
    normalisation
        What a sum of log-probabilities is divided by: nothing, or the tokens, characters or bytes (UTF-8) of the
        string that is ranked.
    device
        ``auto``, ``cpu``, ``cuda``, ``cuda:1``, ``mps``.
    dtype
        ``auto`` is float32 on a CPU and what the weights are stored in elsewhere.
    batch_size
        Items in one pass (``reference``, ``generate``: strings in one pass); 1 on a CPU, 8 elsewhere when None.
    max_length
        Tokens read at most; what the model's configuration says when None.
    overflow
        What becomes of a longer prompt: an ``error``, or it is ``cut`` at its beginning and the trial says so.
    tolerance
        Largest difference to ``reference`` in the check at the start, in log-probability; by dtype when None.
    attention
        Implementation of attention; the library's choice when None.
    max_new_tokens
        Tokens generated at most.
    template
        Settings handed to the chat template, e.g. ``{enable_thinking = false}``.
    revision, gguf_file, trust_remote_code
        Which weights, and whether code beside them may run.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    scoring: Literal["option", "label", "text", "generate"] = "option"
    method: Literal["auto", "packed", "cache", "reference"] = "auto"
    normalisation: Normalisation = "none"
    device: str = Field(default="auto", pattern=r"^(auto|cpu|mps|cuda(:\d+)?)$")
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    batch_size: int | None = Field(default=None, ge=1)
    max_length: int | None = Field(default=None, ge=2)
    overflow: Literal["error", "cut"] = "error"
    tolerance: float | None = Field(default=None, gt=0)
    attention: str | None = None
    max_new_tokens: int = Field(default=64, ge=1)
    template: dict[str, Any] = Field(default_factory=dict)
    revision: str | None = None
    gguf_file: str | None = None
    trust_remote_code: bool = False


def read_settings(backend: Backend) -> Settings:
    """Return a backend's settings; those of ``[generation]``, which a call can set, win.

    Raises
    ------
    UsageError
        A setting is unknown or its value is wrong.
    """
    try:
        return Settings.model_validate({**backend.options, **backend.generation})
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        raise UsageError(
            f"The settings of the local model {backend.name} have a wrong form.",
            found=wrong,
            do=f"Known settings: {', '.join(Settings.model_fields)}.",
        ) from None
