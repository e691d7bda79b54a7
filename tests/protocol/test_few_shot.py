"""Examples: of the item's category, never the item, its passage or its texts, the same whatever the order of the table."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from click_stats.errors import UsageError
from click_stats.protocol import Protocol, plan
from click_stats.protocol.few_shot import Shots
from click_stats.protocol.protocol import FewShot

rows = st.lists(
    st.tuples(st.sampled_from("XYZ"), st.integers(0, 6), st.integers(0, 12), st.integers(2, 6)), min_size=1, max_size=40
)


def table(entries):
    data = [(category, f"p{cluster}", f"d{texts}", n) for category, cluster, texts, n in entries]
    index = [f"{category}/{number}" for number, (category, *_) in enumerate(entries)]
    return pd.DataFrame(data, columns=["category", "cluster", "digest", "n_options"], index=index)


@given(rows, st.integers(1, 4), st.integers(0, 5), st.randoms(use_true_random=False))
def test_examples_never_leak_the_item_or_its_passage(entries, n, seed, random):
    frame = table(entries)
    shuffled = list(frame.index)
    random.shuffle(shuffled)
    shots, again = Shots(FewShot(n=n, seed=seed), frame), Shots(FewShot(n=n, seed=seed), frame.loc[shuffled])
    for item in frame.index:
        own = frame.loc[item]
        allowed = frame[
            (frame["category"] == own["category"])
            & (frame["cluster"] != own["cluster"])
            & (frame["digest"] != own["digest"])
        ]
        if len(allowed) < n:
            with pytest.raises(UsageError, match="too few items"):
                shots.draw(item)
            continue
        drawn = shots.draw(item)
        names = [name for name, _ in drawn]
        assert len(set(names)) == n
        assert set(names) <= set(allowed.index)
        assert all(0 <= rotation < frame.loc[name, "n_options"] for name, rotation in drawn)
        assert again.draw(item) == drawn


def test_every_candidate_is_drawn_by_some_seed_about_equally_often():
    frame = table([("X", k, k, 4) for k in range(6)])
    counted = pd.Series(0, index=frame.index)
    for seed in range(1200):
        for name, _ in Shots(FewShot(n=2, seed=seed), frame).draw("X/0"):
            counted[name] += 1
    # each of five in 2/5 of 1,200 draws: 480, standard deviation 17
    assert counted["X/0"] == 0
    assert counted.drop("X/0").between(480 - 68, 480 + 68).all()


def test_the_prompt_with_examples(read, entries):
    items = read(entries(1), entries(2))
    protocol = Protocol(name="own", rotations=(1,), few_shot={"n": 1, "rotated": False})
    texts = {r.item: r.prompt for group in plan(protocol, items).groups() for r in group}
    assert texts["One/q1"] == (
        "주어진 질문을 천천히 읽고, 적절한 정답을 A, B, C, D 중에 골라 알파벳 하나로 답하시오.\n"
        "\n"
        "질문: 2번 질문은?\n"
        "보기:\n"
        "A: 보기 2-0, B: 보기 2-1, C: 보기 2-2, D: 보기 2-3\n"
        "정답: B\n"
        "\n"
        "질문: 1번 질문은?\n"
        "보기:\n"
        "A: 보기 1-1, B: 보기 1-2, C: 보기 1-3, D: 보기 1-0\n"
        "정답:"
    )
    named = protocol.model_copy(update={"few_shot": FewShot(n=1, rotated=False, answer="option")})
    assert "\n정답: B: 보기 2-1\n" in next(plan(named, items).groups())[0].prompt


def test_rotated_examples_answer_with_the_label_shown(read, entries):
    items = read(*(entries(number) for number in range(20)))
    protocol = Protocol(name="own", rotations=1, few_shot={"n": 19})
    labels = []
    for group in plan(protocol, items).groups():
        for block in group[0].prompt.split("\n\n")[1:-1]:
            line, answer = block.splitlines()[-2:]
            label = answer.removeprefix("정답: ")
            number = block.splitlines()[0].removeprefix("질문: ").removesuffix("번 질문은?")
            assert f"{label}: 보기 {number}-1" in line  # the second option is the right one
            labels.append(label)
    assert min(map(labels.count, "ABCD")) > 60  # of 380: rotation spreads the answers


def test_all_trials_of_an_item_share_their_examples(read, entries):
    items = read(*(entries(number, passage=f"글 {number // 2}") for number in range(8)))
    protocol = Protocol(name="own", few_shot={"n": 2})
    for group in plan(protocol, items).groups():
        heads = {request.prompt.rsplit("\n\n", 1)[0] for request in group}
        assert len(heads) == 1
        number = int(group[0].item.removeprefix("One/q"))
        assert f"글 {number // 2}\n" not in heads.pop()


def test_a_category_with_too_few_items_is_told_before_anything_is_asked(read, entries):
    items = read(entries(1), entries(2), entries(3, category="Two"))
    with pytest.raises(UsageError, match="'Two' has too few items") as caught:
        plan(Protocol(name="own", few_shot={"n": 1}), items)
    assert "0 besides Two/q3" in caught.value.found
    assert len(plan(Protocol(name="own", few_shot={"n": 1}), items, needs_text=False)) == 12
