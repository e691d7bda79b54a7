"""Scale and corpus by mixed models: items and models random.

cells, formula           what is fitted; terms of items and of models
two_stage, effects       levels of models, then their regression; the rows, with t for few models
one_stage                terms that join items and models
permutation              exact tests within families
contrasts                derived models less their base
structures               other random effects, and cell logits
predictions, points      accuracies with shrinkage; logits in percentage points
analysis                 the analysis
"""

from click_stats.stats.mixed.analysis import mixed

__all__ = ["mixed"]
