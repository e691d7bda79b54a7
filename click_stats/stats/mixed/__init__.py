"""Scale and corpus by mixed models: items and models random."""
