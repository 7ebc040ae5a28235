"""What happens when this is imported."""

import os
from dataclasses import dataclass

os.mkdir(os.environ["CANARY"])


@dataclass
class Thing:
    a: int
