"""What every business operation is made of."""
