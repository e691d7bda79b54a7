"""The published numbers of the CLIcK paper, read as they stand, and which units of a study are its models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from click_stats import content

if TYPE_CHECKING:
    from click_stats.models import ModelTable

PREFIX = "simulated-"
"""Name of a simulated model: this before the name of the model that it stands for."""
OPEN = "open"
TEXTBOOK = "KIIP"
OWN_COUNT = "own count"
SIZES = {
    "items in total": ("CLIcK", "items in total", ""),
    "exam items": ("exams", "items", ""),
    "textbook items": ("KIIP", "items", ""),
    "categories": ("CLIcK", "subcategories", ""),
    "categories of culture": ("CLIcK", "subcategories", "culture"),
    "categories of language": ("CLIcK", "subcategories", "language"),
}
"""Statements of the paper's Table 1: item, statistic and category in ``sources.csv``."""


def table(name: str) -> pd.DataFrame:
    """Return one CSV of published numbers; cells that are empty there are missing."""
    return pd.read_csv(content.paper(f"{name}.csv"), keep_default_na=False, na_values=[""])


def accuracies() -> pd.DataFrame:
    """Return the published accuracies as shares, with ``by`` and ``group`` as our results name them.

    A number that two sources state for one name of a model is one row that names both.
    """
    found = table("table5_accuracy").rename(columns={"model": "published_model", "where": "published_in"})
    domain = found["category"].isin(["culture", "language"])
    found["by"] = domain.map({True: "domain", False: "category"})
    found["group"] = found["category"].where(~domain, found["category"].str.capitalize())
    found["published"] = found["value"] / 100
    names = ["model_key", "published_model", "by", "group", "published"]
    return found.groupby(names, sort=False, dropna=False)["published_in"].agg("; ".join).reset_index()


def models() -> pd.DataFrame:
    """Return one row per model of the paper: index ``model_key``; ``access, family, parameters_billion``."""
    return (
        table("models").drop_duplicates("model_key").set_index("model_key")[["access", "family", "parameters_billion"]]
    )


def categories() -> list[str]:
    """Return the categories of the paper's benchmark."""
    own = table("sources")
    return list(dict.fromkeys(own.loc[own["table"] == OWN_COUNT, "category"]))


def ranges() -> pd.DataFrame:
    """Return the ranges of accuracy that are stated for all open models, as shares."""
    found = table("table5_ranges")
    found = found[(found["group"] == "open-source models") & found["unit"].eq("percent")]
    domain = found["category"].isin(["culture", "language"])
    return pd.DataFrame(
        {
            "by": domain.map({True: "domain", False: "category"}),
            "group": found["category"].where(~domain, found["category"].str.capitalize()),
            "published_in": found["where"],
            "published_low": found["low"] / 100,
            "published_high": found["high"] / 100,
        }
    ).reset_index(drop=True)


def sizes() -> pd.DataFrame:
    """Return the stated numbers of items and categories: ``statement, published_in, published``."""
    found = table("sources").set_index(["table", "item", "statistic"])
    rows = []
    for statement, key in SIZES.items():
        own = found.loc[[("Table 1", *key[:2])]]
        own = own[own["category"].fillna("") == key[2]]
        rows.append({"statement": statement, "published_in": own["where"].iloc[0], "published": own["value"].iloc[0]})
    return pd.DataFrame(rows)


def challenging(fact: str) -> dict[str, Any]:
    """Return one statement about challenging items: ``published_in, relation, published`` (a share)."""
    own = table("challenging").set_index("fact_id").loc[fact]
    return {"published_in": own["where"], "relation": own["relation"], "published": own["value_percent"] / 100}


def entropies() -> pd.DataFrame:
    """Return the entropies that are stated for a model: ``model_key, measure, relation, published, published_in``."""
    own = table("figure3_entropy")
    own = own[own["model_key"].notna() & own["value"].notna() & own["statistic"].isin(["median", "mean"])]
    return pd.DataFrame(
        {
            "model_key": own["model_key"],
            "measure": own["statistic"] + " entropy",
            "relation": own["relation"],
            "published": own["value"].astype(float),
            "published_in": own["where"],
        }
    ).reset_index(drop=True)


def directions() -> pd.DataFrame:
    """Return the families whose entropy is stated to change with size: ``family, published_in``."""
    own = table("figure3_entropy")
    own = own[own["statistic"] == "median as size grows"]
    return pd.DataFrame({"family": own["family"], "published_in": own["where"]}).reset_index(drop=True)


def keys_of(units: pd.DataFrame, known: ModelTable) -> dict[str, str]:
    """Return unit -> key of the paper's model, for units that are one of them by name.

    A name counts when the table of models, or without it the paper itself, says it is that model's; a simulated model
    counts as the one that it stands for, and its condition says that it is simulated. Where several units are one
    model, each is matched.
    """
    stated = table("models")
    names = {key.casefold(): key for key in stated["model_key"]}
    for column in ("model", "readme_label"):
        pairs = zip(stated[column], stated["model_key"], strict=True)
        names |= {name.casefold(): key for name, key in pairs if isinstance(name, str)}
    found = {}
    for unit, name in units["model"].items():
        model = known.find(str(name))
        candidates = [str(name), str(name).removeprefix(PREFIX)]
        if model is not None:
            candidates += [model.model, *model.aliases]
        key = next((names[one.casefold()] for one in candidates if one.casefold() in names), None)
        if key is not None:
            found[str(unit)] = key
    return found
