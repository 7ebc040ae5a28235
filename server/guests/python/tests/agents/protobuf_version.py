"""Returns the protobuf release it runs beside."""

import google.protobuf
from shapes import Count, chain


def version(state: Count) -> Count:
    return {"log": [google.protobuf.__version__]}


graph = chain(version).compile()
