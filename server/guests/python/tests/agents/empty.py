"""No graph at all."""

pi = 3
