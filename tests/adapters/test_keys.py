"""Keys do not show, and what looks like one is taken out of texts."""

import pickle

import pytest

from click_stats.adapters.keys import Secret, check_address, read_key
from click_stats.errors import UsageError

VALUE = "tk-0123456789"


def test_a_secret_hides_its_value():
    secret = Secret(VALUE, "MY_KEY")
    for text in (repr(secret), str(secret), f"{secret}", repr([secret]), repr({"key": secret})):
        assert VALUE not in text
    assert secret.reveal() == VALUE
    with pytest.raises(TypeError, match="not written"):
        pickle.dumps(secret)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"bad key {VALUE}!", "bad key [key]!"),
        ("provided: sk-proj-****wxyz.", "provided: [key]"),
        ("sk-ant-api03-AbCd_efgh-123", "[key]"),
        ("AIzaSyA1234567890", "[key]"),
        (
            "the model gpt-4o has no key_env, task-1 and risk-averse-choices",
            "the model gpt-4o has no key_env, task-1 and risk-averse-choices",
        ),
    ],
)
def test_what_looks_like_a_key_is_taken_out(text, shown):
    assert Secret(VALUE).redact(text) == shown


def test_no_key_hides_nothing():
    assert Secret("").redact("none of this") == "none of this"


def test_a_key_is_read_without_the_blanks_around_it():
    assert read_key("MY_KEY", {"MY_KEY": f" {VALUE}\n"}).reveal() == VALUE
    for value in ("", "  "):
        with pytest.raises(UsageError, match="no key"):
            read_key("MY_KEY", {"MY_KEY": value})
    with pytest.raises(UsageError, match="cannot be one") as caught:
        read_key("MY_KEY", {"MY_KEY": "열쇠-12345"})
    assert "열쇠" not in str(caught.value)


def test_addresses():
    assert check_address("http://localhost:8000/v1/") == "http://localhost:8000/v1"
    assert check_address("https://[::1]:80/v1") == "https://[::1]:80/v1"
    for wrong in ("", "localhost:8000", "http://", "http://host:port/v1", "file:///etc", "http://u:p@host"):
        with pytest.raises(UsageError, match="address"):
            check_address(wrong)
