"""Infeasible or forbidden tasks: the right answer is to say so, and to change nothing."""
