"""Writes whose answers are lost, counted in the database afterwards."""
