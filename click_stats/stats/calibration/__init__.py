"""Do stated probabilities mean anything: scores, reliability, selective accuracy and temperature."""

from click_stats.stats.calibration.analysis import calibration

__all__ = ["calibration"]
