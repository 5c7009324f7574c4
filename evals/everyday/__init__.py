"""Everyday work: one task a module."""
