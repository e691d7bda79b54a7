"""Write input.csv and expected.json: what scikit-learn says of one set of stated probabilities.

Usage: python script.py FOLDER (with scikit-learn 1.7 or later, which is no dependency of the project)
"""

import json
import sys
from pathlib import Path

import numpy as np
import sklearn
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss, log_loss

SEED, N, OPTIONS, BINS = 20240311, 400, 4, 10


def main(folder):
    rng = np.random.default_rng(SEED)
    logits = rng.normal(0, 1.6, (N, OPTIONS))
    true = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    gold = np.array([rng.choice(OPTIONS, p=p) for p in true])
    scores = 1.4 * logits  # overconfident
    scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
    scores = np.round(scores, 6)
    header = ",".join(["gold", *(f"score_{k}" for k in range(OPTIONS))])
    rows = np.column_stack([gold, scores])
    np.savetxt(folder / "input.csv", rows, delimiter=",", header=header, comments="", fmt=["%d", *["%.6f"] * OPTIONS])

    p = np.exp(scores)
    p /= p.sum(axis=1, keepdims=True)
    confidence, hit = p.max(axis=1), (p.argmax(axis=1) == gold).astype(int)
    rescaled = (confidence - 1 / OPTIONS) / (1 - 1 / OPTIONS)
    share, mean = calibration_curve(hit, rescaled, n_bins=BINS, strategy="uniform")
    fitted = IsotonicRegression().fit(confidence, hit).predict(confidence)
    base = hit.mean()
    expected = {
        "meta": {"sklearn": sklearn.__version__, "numpy": np.__version__, "seed": SEED},
        "brier": brier_score_loss(gold, p, labels=list(range(OPTIONS)), scale_by_half=False),
        "log": log_loss(gold, p, labels=list(range(OPTIONS))),
        "accuracy_by_bin": share.tolist(),
        "confidence_by_bin": (1 / OPTIONS + (1 - 1 / OPTIONS) * mean).tolist(),
        "brier_top": brier_score_loss(hit, confidence),
        "recalibrated": brier_score_loss(hit, fitted),
        "base_rate": brier_score_loss(hit, np.full(N, base)),
    }
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


main(Path(sys.argv[1]))
