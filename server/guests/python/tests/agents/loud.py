"""Prints while it is imported."""

import logging
import sys

from shapes import chain, one

print("importing")
sys.stdout.buffer.write(b"to the buffer\n")
logging.getLogger("loud").warning("warned")
graph = chain(one).compile()
