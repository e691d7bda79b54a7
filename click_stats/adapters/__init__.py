"""Adapters: what speaks to models."""
