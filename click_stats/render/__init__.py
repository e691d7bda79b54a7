"""Shows results: tables, figures, documents. Imports no analysis."""
