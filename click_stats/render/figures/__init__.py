from click_stats.render.figures.drawing import Drawing, save, save_data
import importlib
FIGURES={}
for n in ("ladder","differences","heatmap","triangle","detectable","statuses","items_right"):
    try: FIGURES[n]=getattr(importlib.import_module("click_stats.render.figures."+n),"figure_"+n)
    except ModuleNotFoundError: pass
