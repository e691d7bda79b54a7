"""How questions are asked: wordings, rotations, and the plan of all trials."""

from click_stats.protocol.plan import Plan, plan
from click_stats.protocol.protocol import Protocol, protocol_names, read_protocol
from click_stats.protocol.request import Key, Request
from click_stats.protocol.wording import Wording

__all__ = ["Key", "Plan", "Protocol", "Request", "Wording", "plan", "protocol_names", "read_protocol"]
