"""Writes down what was sent and answered: a line of JSON for each request that fits."""

import contextlib
import json
from typing import Any, TextIO

import schemathesis


def line_of(case: schemathesis.Case, response: Any) -> dict[str, Any]:
    body = None
    with contextlib.suppress(ValueError):
        body = response.json()
    answers = body if isinstance(body, list) else [body]
    return {
        "method": case.method.upper(),
        "path": case.operation.path,
        "members": [*names_of(case.body), *names_of(case.query)],
        "status": response.status_code,
        "answer": sorted({name for one in answers for name in names_of(one)}),
    }


def record(case: schemathesis.Case, response: Any, file: TextIO) -> None:
    meta = case.meta
    if meta is not None and meta.generation.mode.value == "positive":
        print(json.dumps(line_of(case, response)), file=file, flush=True)


def names_of(value: Any) -> list[str]:
    return list(value) if isinstance(value, dict) else []
