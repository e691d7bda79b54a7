"""Parameters of items read back, and every way in which such a file goes wrong."""

import json

import pandas as pd
import pytest

from click_stats import api
from click_stats.errors import DataError
from click_stats.exports import read_parameters
from click_stats.items import read_items
from click_stats.results import Result, ResultSet

HEAD = "item,difficulty,discrimination,floor\n"


@pytest.fixture
def write(tmp_path):
    def _write(text, name="p.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        return path

    return _write


def test_a_table(write):
    frame = read_parameters(write("\ufeff" + HEAD + "One/a,0.5,2,0.25\nOne/b,-1.5,,\nOne/c,,1,0\n"))
    assert frame.to_dict("index") == {
        "One/a": {"difficulty": 0.5, "discrimination": 2.0, "floor": 0.25},
        "One/b": {"difficulty": -1.5, "discrimination": 1.0, "floor": 0.0},
    }  # an item without a difficulty cannot be scored


def results(reason="", **columns):
    rows = {"item": ["One/a", "One/b"], "difficulty": [0.5, None], "discrimination": [1.2, 1.2], "floor": [0.25, 0.2]}
    rows = {name: columns.get(name, values) for name, values in rows.items()}

    return Result("irt", {"estimates": pd.DataFrame(rows)}, {}, {"reason": reason})


def test_results_of_a_study_and_of_the_analysis_alone(write):
    whole = write(ResultSet("items", {"irt": results()}).to_json(), "results.json")
    alone = write(results().to_json(), "irt.json")
    expected = {"One/a": {"difficulty": 0.5, "discrimination": 1.2, "floor": 0.25}}
    assert read_parameters(whole).to_dict("index") == read_parameters(alone).to_dict("index") == expected


def test_results_that_the_command_wrote(click_stats, tmp_path):
    """The analysis as it is written is read back, number by number."""

    answers = tmp_path / "a.csv"
    rows = [
        f"One/{item},m{model},{int((model * 7 + item * 3) % 10 < item)}" for model in range(8) for item in range(1, 9)
    ]
    answers.write_text("item,model,prediction\n" + "\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "tiny.toml").write_text(
        'name = "Tiny"\ndomains = [{ name = "D" }]\ncategories = [{ name = "One", domain = "D" }]\n', encoding="utf-8"
    )
    keys = tmp_path / "keys.csv"
    lines = [f"{k},One,4,1" for k in range(1, 9)]
    keys.write_text("id,category,n_options,gold\n" + "\n".join(lines) + "\n", encoding="utf-8")
    words = ["--items", keys, "--benchmark", tmp_path / "tiny.toml", "-o", tmp_path / "out", "--quiet"]
    assert click_stats("analyze", "irt", answers, *words).code == 0
    items = read_items(keys, tmp_path / "tiny.toml")
    frame = read_parameters(tmp_path / "out" / "results.json", items)
    table = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))["results"]["irt"]["tables"]
    place = table["estimates"]["columns"].index("difficulty")
    stated = {row[0]: row[place] for row in table["estimates"]["rows"] if row[place] is not None}
    assert stated
    assert frame["difficulty"].to_dict() == stated
    assert api.read_parameters(tmp_path / "out" / "results.json").equals(frame)


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("", "p.csv", "holds no parameters"),
        (HEAD, "p.csv", "holds no parameters"),
        ("key,b\nOne/a,1\n", "p.csv", "missing: item, difficulty; there: key, b"),
        (HEAD + "One/a,hard,1,0\n", "p.csv", "difficulty of One/a is no number"),
        (HEAD + "One/a,inf,1,0\n", "p.csv", "difficulty of One/a is no number"),
        (HEAD + "One/a,1,0,0\n", "p.csv", "a discrimination that is not above 0"),
        (HEAD + "One/a,1,1,1\n", "p.csv", "a floor outside 0 to 1"),
        (HEAD + "One/a,1,1,0\nOne/a,2,1,0\n", "p.csv", "names items more than once"),
        (HEAD + "One/a,,1,0\n", "p.csv", "no item with a difficulty"),
        ("가".encode("cp949"), "p.csv", "no UTF-8"),
        ("{", "p.json", "no JSON"),
        ("[1]", "p.json", "no results of the analysis irt"),
        ('{"study": "audit", "results": {"accuracy": {}}}', "p.json", "Found: accuracy"),
        (results("6 models are needed").to_json().replace("estimates", "nothing"), "p.json", "6 models are needed"),
    ],
)
def test_bad_files(write, text, name, message):
    with pytest.raises(DataError) as error:
        read_parameters(write(text, name))
    assert message.lower() in str(error.value).lower()


def test_items_that_are_not_in_the_table(write, tmp_path):
    (tmp_path / "tiny.toml").write_text(
        'name = "Tiny"\ndomains = [{ name = "D" }]\ncategories = [{ name = "One", domain = "D" }]\n', encoding="utf-8"
    )
    items = read_items(write("id,category,n_options,gold\na,One,4,0\n", "keys.csv"), tmp_path / "tiny.toml")
    path = write(HEAD + "One/a,1,1,0\nOne/z,1,1,0\n")
    assert len(read_parameters(path)) == 2
    with pytest.raises(DataError, match="items that are not in the item table") as error:
        read_parameters(path, items)
    assert "One/z" in str(error.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        read_parameters(tmp_path / "none.csv")
