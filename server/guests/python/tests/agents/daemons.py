"""Starts a program that outlives the run, as daemons are: its own session, and no parent."""

import os
import subprocess
from typing import TypedDict

from langgraph.graph import END, START, StateGraph


class State(TypedDict, total=False):
    pid: int


def start(state: State) -> State:
    command = ["setsid", "sh", "-c", "sleep 600 >/dev/null 2>&1 & echo $!"]
    env = {"PATH": os.environ["PATH"]}
    found = subprocess.run(command, env=env, check=True, capture_output=True)
    return {"pid": int(found.stdout)}


graph = StateGraph(State).add_node(start).add_edge(START, "start").add_edge("start", END).compile()
