"""The Python guest of Agent Runtime: runs LangGraph graphs for a host that keeps their state."""
