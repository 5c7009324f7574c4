"""Twelve month-ends in a row on one database: what is wrong once stays wrong."""
