"""Review of items by people: a blind packet, its filled files, adjudication, and a draft of errata."""

from click_stats.items.review.adjudication import adjudication_table, read_adjudication
from click_stats.items.review.answers import Opinion, is_adjudication, read_opinions
from click_stats.items.review.codes import MAY_LACK_ANSWER, ONE_ANSWER, codes
from click_stats.items.review.draft import draft
from click_stats.items.review.judgement import Judgement, judge
from click_stats.items.review.packet import Packet, Sheet, draw, read_packet
from click_stats.items.review.sheet import sheet_table

__all__ = [
    "MAY_LACK_ANSWER",
    "ONE_ANSWER",
    "Judgement",
    "Opinion",
    "Packet",
    "Sheet",
    "adjudication_table",
    "codes",
    "draft",
    "draw",
    "is_adjudication",
    "judge",
    "read_adjudication",
    "read_opinions",
    "read_packet",
    "sheet_table",
]
