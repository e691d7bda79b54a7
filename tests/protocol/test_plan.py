"""The plan: how many trials, which keys, and a digest that changes with all that is asked."""

from click_stats.items import read_items
from click_stats.protocol import plan, read_protocol


def test_the_papers_protocol_has_24708_prompts():
    found = plan(read_protocol("paper"), read_items(), needs_text=False)
    assert len(found) == found.n_prompts == 24_708
    assert found.n_sequences == 102_672
    keys = [request.key for group in found.groups() for request in group]
    assert len(keys) == len(set(keys)) == 24_708
    assert all(request.prompt is None for request in next(found.groups()))
