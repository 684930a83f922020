import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.errors import DataError, ShareNotFoundError
from data.shares import load_share, save_share

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.text(), VALUES, max_size=5))
def test_a_payload_comes_back_exactly(store, payload):
    assert load_share(store, save_share(store, payload)).payload == payload


def test_a_share_keeps_its_words(store):
    share_id = save_share(store, {"a": 1}, title="Title <b>", note="Ünïcode", author="me")
    share = load_share(store, share_id)
    assert (share.id, share.title, share.note, share.author) == (share_id, "Title <b>", "Ünïcode", "me")
    assert len(share_id) == 32
    assert save_share(store, {"a": 1}) != share_id


@pytest.mark.parametrize("payload", [{"a": float("nan")}, {"a": float("inf")}, {"a": {1, 2}}, {1: "a"}, {"a": (1, 2)}])
def test_what_would_not_come_back_is_refused(store, payload):
    with pytest.raises(DataError, match="plain JSON"):
        save_share(store, payload)


@pytest.mark.parametrize(
    "share_id",
    ["", "x", "A" * 32, "A" * 33, "<script>alert(1)</script>", "' OR 1=1 --", "../../etc/passwd", "A" * 31 + "\n"],
)
def test_unknown_and_malformed_ids(store, share_id):
    with pytest.raises(ShareNotFoundError):
        load_share(store, share_id)
