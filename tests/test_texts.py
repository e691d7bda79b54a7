"""Texts in several files are read as one."""

import pytest

from click_stats import texts


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(texts, "files", lambda _package: tmp_path)
    return tmp_path


def test_files_of_one_stem_are_joined(folder):
    (folder / "words.toml").write_text('one = 1\n[[remark]]\nis = "a"\n')
    (folder / "words_more.toml").write_text('two = 2\n[[remark]]\nis = "b"\n')
    (folder / "others.toml").write_text("three = 3\n")
    assert texts.merged("any", "words") == {"one": 1, "two": 2, "remark": [{"is": "a"}, {"is": "b"}]}


def test_a_key_in_two_files_is_an_error(folder):
    (folder / "words.toml").write_text("one = 1\n")
    (folder / "words_more.toml").write_text("one = 2\n")
    with pytest.raises(ValueError, match=r"words_more.toml has the key 'one'"):
        texts.merged("any", "words")
