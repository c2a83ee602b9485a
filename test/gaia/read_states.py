"""Reads a folder of state.json files as GAIA's scripts do, and prints the agent IDs, last updated first."""

import json
import re
import sys
from datetime import datetime, timezone
from pathlib import Path

# The only UTC format that `fromisoformat` reads before Python 3.11.
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00")


def check_time(text):
    assert TIME.fullmatch(text), text
    assert datetime.fromisoformat(text) < datetime.now(timezone.utc), text


sessions = []
for folder in Path(sys.argv[1]).iterdir():
    with open(folder / "state.json", encoding="utf-8") as file:
        session = json.load(file)
    assert session["agent_id"] == folder.name
    check_time(session["created_at"])
    check_time(session["last_updated"])
    for entry in session["history"]:
        check_time(entry["timestamp"])
    if session.get("finalized_at"):
        check_time(session["finalized_at"])
    if isinstance(session["last_error"], dict) and "timestamp" in session["last_error"]:
        check_time(session["last_error"]["timestamp"])
    sessions.append(session)

sessions.sort(key=lambda session: session["last_updated"], reverse=True)
print(json.dumps([session["agent_id"] for session in sessions]))
