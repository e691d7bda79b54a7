"""A study: the analyses to run and their parameters, read from TOML and checked before anything is computed."""

from __future__ import annotations

import collections.abc
import inspect
import tomllib
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from click_stats import content, counts
from click_stats.errors import UsageError
from click_stats.study.registry import ANALYSES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

# Names that signatures use for typing only; needed to read them at run time.
_TYPING_NAMES = {**vars(collections.abc), **vars(counts)}


class Study(BaseModel):
    """The analyses of a study and their parameters.

    Attributes
    ----------
    name
        Name of the study, and of the report that shows it.
    seed
        Seed of every analysis that draws random numbers.
    published
        Whose published numbers the results are compared with; None for nobody's.
    analyses
        Parameters by name of the analysis, in the order in which they run.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    seed: int = Field(default=0, ge=0)
    published: Literal["paper"] | None = None
    analyses: dict[str, dict[str, Any]]

    def also(self, names: Sequence[str]) -> Study:
        """Return the study with further analyses at their default parameters, after its own."""
        added: dict[str, dict[str, Any]] = {name: {} for name in names if name not in self.analyses}
        return check(self.model_copy(update={"analyses": {**self.analyses, **added}})) if added else self

    def with_parameters(self, **parameters: Any) -> Study:
        """Return the study with parameters set in every analysis that has them (``seed`` everywhere).

        Raises
        ------
        UsageError
            No analysis of the study has a parameter of that name.
        """
        given = {name: value for name, value in parameters.items() if value is not None}
        seed = given.pop("seed", self.seed)
        analyses = {name: dict(values) for name, values in self.analyses.items()}
        for parameter, value in given.items():
            takers = [name for name in analyses if parameter in signature(ANALYSES[name])]
            if not takers:
                raise UsageError(
                    f"No analysis of the study {self.name!r} has a parameter {parameter!r}.",
                    found="; ".join(f"{name}: {', '.join(signature(ANALYSES[name]))}" for name in analyses),
                    do="Use a parameter of these analyses, or a study with an analysis that has it.",
                )
            for name in takers:
                analyses[name][parameter] = value
        return check(self.model_copy(update={"seed": seed, "analyses": analyses}))


def read_study(name: str, extra: Sequence[Path] = ()) -> Study:
    """Read the study ``name`` from the declarations and check it; the name of an analysis is a study of it alone.

    Raises
    ------
    UsageError
        There is no such study, its file is not TOML of the right form, or a parameter does not fit its analysis.
    """
    studies = content.names("analyses", extra)
    if name in ANALYSES and name not in studies:
        return Study(name=name, analyses={name: {}})
    if name not in studies:
        near = get_close_matches(name, [*studies, *ANALYSES], n=1)
        raise UsageError(
            f"There is no study and no analysis {name!r}.",
            found=f"studies {', '.join(studies) or 'none'}; analyses {', '.join(ANALYSES)}",
            do=(f"Did you mean {near[0]}? " if near else "")
            + "Use one of these names, or give a folder of your own with --content.",
        )
    path = content.find("analyses", name, extra)
    try:
        return check(Study.model_validate(tomllib.loads(path.read_text(encoding="utf-8"))))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(
            f"The study file {path.name} is not valid TOML.", found=str(error), do="Mend the file."
        ) from error
    except ValidationError as error:
        raise UsageError(f"The study file {path.name} has a wrong form.", found=explain(error)) from error


def check(study: Study) -> Study:
    """Check every parameter against the signature of its analysis and return the study with converted values."""
    checked: dict[str, dict[str, Any]] = {}
    for name, values in study.analyses.items():
        if name not in ANALYSES:
            raise UsageError(
                f"The study {study.name!r} names an unknown analysis {name!r}.",
                found=name,
                do="Use one of: " + ", ".join(ANALYSES),
            )
        try:
            model = _parameters(name, ANALYSES[name]).model_validate(values)
        except ValidationError as error:
            raise UsageError(
                f"The parameters of the analysis {name!r} in the study {study.name!r} do not fit.",
                found=explain(error),
                do="Parameters: " + ", ".join(signature(ANALYSES[name])),
            ) from error
        checked[name] = {key: getattr(model, key) for key in values}
    return study.model_copy(update={"analyses": checked})


def signature(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """Return the keyword-only parameters of an analysis: those that a study may set."""
    return {
        name: parameter
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }


def explain(error: ValidationError) -> str:
    """Say in one line what pydantic found wrong."""
    return "; ".join(f"{'.'.join(map(str, problem['loc'])) or 'value'}: {problem['msg']}" for problem in error.errors())


def _parameters(name: str, function: Callable[..., Any]) -> type[BaseModel]:
    hints = get_type_hints(function, localns=_TYPING_NAMES)
    fields: dict[str, Any] = {
        key: (hints.get(key, Any), ... if parameter.default is inspect.Parameter.empty else parameter.default)
        for key, parameter in signature(function).items()
    }
    return create_model(f"{name.title()}Parameters", __config__=ConfigDict(extra="forbid"), **fields)
