"""Several agents in one: a supervisor, a swarm."""

from chat import add
from langchain.agents import create_agent
from langchain_core.tools import tool
from langgraph_supervisor import create_supervisor
from langgraph_swarm import create_handoff_tool, create_swarm
from model import Scripted


@tool
def shout(text: str) -> str:
    """Repeats it in capitals."""
    return text.upper()


supervisor = create_supervisor(
    [
        create_agent(Scripted(), [add], name="adder"),
        create_agent(Scripted(), [shout], name="shouter"),
    ],
    model=Scripted(),
    output_mode="full_history",
).compile(name="supervisor")

swarm = create_swarm(
    [
        create_agent(Scripted(), [add, create_handoff_tool(agent_name="shouter")], name="adder"),
        create_agent(Scripted(), [shout, create_handoff_tool(agent_name="adder")], name="shouter"),
    ],
    default_active_agent="adder",
).compile()
