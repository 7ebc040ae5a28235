"""What happens when somebody imports this."""

import os
from dataclasses import dataclass

os.mkdir(os.environ["CANARY"])


@dataclass
class Thing:
    a: int
