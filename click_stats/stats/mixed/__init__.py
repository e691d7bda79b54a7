"""Scale and corpus by mixed models: items and models random.

cells, formula             what is fitted; terms of items and of models
random_effects             which random effects: asked for, or what the data can show
levels, second_stage       levels of models on the same items, then their regression
effects                    the rows of model-level effects, with t for few models
one_stage                  terms that join items and models
permutation                exact tests within families
lineage, contrasts         what a model was made from, and derived models less their base
structures, linear         other random effects, and cell logits
likelihood_ratio           tests of random effects and of fixed effects of items
predictions, points        accuracies with shrinkage; logits in percentage points
confounding                what goes together with what
analysis                   the analysis
"""

from click_stats.stats.mixed.analysis import mixed

__all__ = ["mixed"]
