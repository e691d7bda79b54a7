"""Studies: which analyses to run, with what parameters, and running them."""

from click_stats.study.run import run_study
from click_stats.study.study import Study, read_study
from click_stats.study.write import write_results

__all__ = ["Study", "read_study", "run_study", "write_results"]
