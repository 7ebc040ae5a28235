"""`python start_agent_runtime_guest.py <config.json>`

A separate file: `python -m` would put the working directory, which is the agent's, first on the
path, where an agent's `queue.py` hides the standard library's.
"""

# Processes that an agent starts with multiprocessing import this file, too.
if __name__ == "__main__":
    import sys
    from pathlib import Path

    folder = str(Path(__file__).resolve().parent)
    sys.path.insert(0, folder)  # it is there already, unless PYTHONSAFEPATH is set
    from agent_runtime_guest.__main__ import main

    # What else is in this folder is not for agents, which may have their own `tests`.
    sys.path[:] = [path for path in sys.path if path != folder]
    main()
