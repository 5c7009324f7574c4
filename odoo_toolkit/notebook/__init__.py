"""Models as objects, for notebooks and the shell, and their types for type checkers."""
