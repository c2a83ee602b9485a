#!/usr/bin/env python3
"""GAIA's ``agent_session`` on top of Holdfast.

Put this file in the place of GAIA's own ``agent_session.py``. Callers that import it, or run it with
``python3 agent_session.py ...``, stay as they are; the sessions are in Holdfast's database.

It calls the ``holdfast`` program on the PATH, or the command in ``HOLDFAST_BIN`` (a path, or a command
with arguments). Python 3.9 or newer, standard library only.
"""

import argparse
import json
import logging
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional, Union

logger = logging.getLogger(__name__)

DEFAULT_BASE_PATH = Path(".claude/session")
OUTCOMES = ("completed", "failed", "abandoned")

# Exit codes of the holdfast program.
DONE = 0
NO = 1
FAILED = 2

# No answer of the database takes this long.
TIMEOUT_SECONDS = 60


class HoldfastError(OSError):
    """Holdfast could not be called, or could not do it. GAIA's own module raised OSError for its files."""


class AgentSession:
    """Sessions of agents, with GAIA's methods and return values."""

    VALID_PHASES = frozenset(
        (
            "initializing",
            "investigating",
            "planning",
            "approval",
            "executing",
            "validating",
            "completed",
            "failed",
            "abandoned",
        )
    )
    RESUMABLE_PHASES = frozenset(("approval", "investigating", "planning"))
    # Passed on only when somebody has changed it: Holdfast's own limit is in its config file.
    RESUME_TIMEOUT_MINUTES = 30
    # True: failures of Holdfast are raised by every method, not logged by some.
    strict = False

    def __init__(self, base_path: Optional[Union[str, Path]] = None):
        """A base path other than GAIA's default keeps sessions of its own, in ``<base_path>/.holdfast``."""
        self.base_path = Path(base_path) if base_path else DEFAULT_BASE_PATH
        self._env = dict(os.environ)
        if self.base_path.absolute() != DEFAULT_BASE_PATH.absolute():
            self._env["HOLDFAST_DATA"] = str(self.base_path.absolute() / ".holdfast")
            for name in ("HOLDFAST_DATABASE_URL", "HOLDFAST_DATABASE_DIRECT_URL"):
                self._env.pop(name, None)

    def create_session(
        self,
        agent_id: Optional[str] = None,
        agent_name: Optional[str] = None,
        purpose: Optional[str] = None,
        metadata: Optional[Dict[str, Any]] = None,
    ) -> str:
        """Returns the agent id. Raises HoldfastError when the id is taken."""
        options = _options(id=agent_id, agent=agent_name, purpose=purpose, metadata=_json(metadata))
        return self._ask(["create"] + options).strip()

    def update_state(
        self,
        agent_id: str,
        phase: Optional[str] = None,
        metadata: Optional[Dict[str, Any]] = None,
        error: Optional[str] = None,
    ) -> bool:
        """Merges metadata and counts the error. False when there is no such session or it refuses."""
        if phase and phase not in self.VALID_PHASES:
            logger.warning("There is no phase %r. Phases: %s", phase, sorted(self.VALID_PHASES))
            return False
        return self._change(self._update(phase, metadata, error), agent_id)

    def should_resume(self, agent_id: str) -> bool:
        """Whether to go on with the session. ``holdfast should-resume`` says why not."""
        ended = self._try(["should-resume"] + self._resume_options(), agent_id)
        return ended is not None and ended.returncode == DONE

    def get_session(self, agent_id: str) -> Optional[Dict[str, Any]]:
        """The session as GAIA's state.json has it, or None when there is none."""
        ended = self._try(["get"], agent_id)
        if ended is None or ended.returncode != DONE:
            return None
        state = json.loads(ended.stdout)
        # GAIA has these fields only in finalized sessions.
        for name in ("finalized_at", "duration_seconds", "summary"):
            if state.get(name) is None:
                state.pop(name, None)
        return state

    def finalize_session(self, agent_id: str, outcome: str, summary: Optional[str] = None) -> bool:
        """An unknown outcome counts as failed. False when the session has ended otherwise already."""
        if outcome not in OUTCOMES:
            logger.warning("There is no outcome %r. Outcomes: %s", outcome, OUTCOMES)
            outcome = "failed"
        return self._change(["finalize"] + _options(summary=summary), agent_id, outcome)

    def list_sessions(
        self, active_only: bool = False, agent_name: Optional[str] = None
    ) -> List[Dict[str, Any]]:
        """Summaries, the last updated first. Active means ready to be resumed."""
        options = ["--json"] + (["--active-only"] if active_only else [])
        # Sessions without a name are called "unknown" in GAIA's shape only.
        if agent_name and agent_name != "unknown":
            options += _options(agent=agent_name)
        states = json.loads(self._ask(["list"] + options))
        return [
            {name: state[name] for name in _SUMMARY}
            for state in states
            if not agent_name or state["agent_name"] == agent_name
        ]

    def cleanup_old_sessions(self, hours: int = 24) -> int:
        """Removes sessions that were not active for so many hours, and returns how many there were."""
        return int(json.loads(self._ask(["cleanup", "--json", "--hours=%s" % hours]))["removed"])

    def _update(
        self, phase: Optional[str], metadata: Optional[Dict[str, Any]], error: Optional[str]
    ) -> List[str]:
        options = _options(phase=phase, metadata=_json(metadata), error=error)
        return ["update"] + (options or ["--metadata={}"])

    def _resume_options(self) -> List[str]:
        minutes = self.RESUME_TIMEOUT_MINUTES
        return [] if minutes == 30 else ["--timeout-minutes=%s" % minutes]

    def _change(self, words: List[str], *names: str) -> bool:
        ended = self._try(words, *names)
        return ended is not None and ended.returncode == DONE

    def _try(self, words: List[str], *names: str) -> Optional["subprocess.CompletedProcess[str]"]:
        """None when Holdfast failed, which is logged: like GAIA's, these calls do not break a workflow."""
        try:
            ended = self._run(words, *names)
            if ended.returncode not in (DONE, NO):
                raise _failure(ended)
            return ended
        except HoldfastError as error:
            if self.strict:
                raise
            logger.error("%s", error)
            return None

    def _ask(self, words: List[str]) -> str:
        ended = self._run(words)
        if ended.returncode != DONE:
            raise _failure(ended)
        return ended.stdout

    def _run(self, words: List[str], *names: str) -> "subprocess.CompletedProcess[str]":
        # Names stand after "--", so that one that begins with a hyphen is not taken for an option.
        command = _program() + words + (["--"] + list(names) if names else [])
        try:
            return subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                env=self._env,
                timeout=TIMEOUT_SECONDS,
                check=False,
            )
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            raise HoldfastError(
                "holdfast cannot be called: %s. Is it on the PATH, or named by HOLDFAST_BIN?" % error
            ) from error


_SUMMARY = (
    "agent_id",
    "agent_name",
    "phase",
    "created_at",
    "last_updated",
    "resume_ready",
    "error_count",
)


def _failure(ended: "subprocess.CompletedProcess[str]") -> HoldfastError:
    return HoldfastError(ended.stderr.strip() or "holdfast ended with %s" % ended.returncode)


def _program() -> List[str]:
    named = os.environ.get("HOLDFAST_BIN") or "holdfast"
    return [named] if os.path.exists(named) else shlex.split(named)


def _options(**values: Optional[str]) -> List[str]:
    return ["--%s=%s" % (name, value) for name, value in values.items() if value]


def _json(metadata: Optional[Dict[str, Any]]) -> Optional[str]:
    return json.dumps(metadata) if metadata else None


def create_session(
    agent_name: Optional[str] = None,
    purpose: Optional[str] = None,
    metadata: Optional[Dict[str, Any]] = None,
) -> str:
    return AgentSession().create_session(agent_name=agent_name, purpose=purpose, metadata=metadata)


def should_resume(agent_id: str) -> bool:
    return AgentSession().should_resume(agent_id)


def get_session(agent_id: str) -> Optional[Dict[str, Any]]:
    return AgentSession().get_session(agent_id)


def update_state(
    agent_id: str,
    phase: Optional[str] = None,
    metadata: Optional[Dict[str, Any]] = None,
    error: Optional[str] = None,
) -> bool:
    return AgentSession().update_state(agent_id, phase, metadata, error)


def finalize_session(agent_id: str, outcome: str, summary: Optional[str] = None) -> bool:
    return AgentSession().finalize_session(agent_id, outcome, summary)


def list_sessions(
    active_only: bool = False, agent_name: Optional[str] = None
) -> List[Dict[str, Any]]:
    return AgentSession().list_sessions(active_only, agent_name)


def cleanup_old_sessions(hours: int = 24) -> int:
    return AgentSession().cleanup_old_sessions(hours)


def main(arguments: Optional[List[str]] = None) -> int:
    """GAIA's command line, with its output."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.command is None:
        parser.print_help()
        return DONE
    sessions = AgentSession()
    sessions.strict = True
    try:
        return _COMMANDS[given.command](sessions, given)
    except HoldfastError as error:
        print("agent_session: %s" % error, file=sys.stderr)
        return FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Sessions of agents, kept by Holdfast")
    commands = parser.add_subparsers(dest="command", metavar="command")

    create = commands.add_parser("create", help="make a session")
    create.add_argument("--agent", help="agent name")
    create.add_argument("--purpose", help="purpose")

    update = commands.add_parser("update", help="change the phase, or report an error")
    update.add_argument("agent_id")
    update.add_argument("--phase", help="new phase")
    update.add_argument("--error", help="error message")

    resume = commands.add_parser("should-resume", help="exit 0 for yes, 1 for no")
    resume.add_argument("agent_id")

    get = commands.add_parser("get", help="print a session as JSON")
    get.add_argument("agent_id")

    finalize = commands.add_parser("finalize", help="end a session")
    finalize.add_argument("agent_id")
    finalize.add_argument("outcome", choices=OUTCOMES)
    finalize.add_argument("--summary", help="what came of it")

    listing = commands.add_parser("list", help="list sessions, the last updated first")
    listing.add_argument("--active-only", action="store_true", help="only those ready to be resumed")
    listing.add_argument("--agent", help="only of this agent")

    cleanup = commands.add_parser("cleanup", help="remove old sessions")
    cleanup.add_argument("--hours", type=int, default=24, help="inactive for this many hours")
    return parser


def _run_create(sessions: AgentSession, given: argparse.Namespace) -> int:
    made = sessions.create_session(agent_name=given.agent, purpose=given.purpose)
    print("Created session: %s" % made)
    return DONE


def _run_update(sessions: AgentSession, given: argparse.Namespace) -> int:
    changed = sessions.update_state(given.agent_id, phase=given.phase, error=given.error)
    return _tell(changed, "Updated session", "Failed to update session", given.agent_id)


def _run_finalize(sessions: AgentSession, given: argparse.Namespace) -> int:
    changed = sessions.finalize_session(given.agent_id, given.outcome, given.summary)
    return _tell(changed, "Finalized session", "Failed to finalize session", given.agent_id)


def _tell(is_done: bool, done: str, failed: str, agent_id: str) -> int:
    print("%s: %s" % (done if is_done else failed, agent_id))
    # Zero also for a session that is not there, like GAIA's: scripts under "set -e" rely on it.
    return DONE


def _run_should_resume(sessions: AgentSession, given: argparse.Namespace) -> int:
    answer = sessions.should_resume(given.agent_id)
    print("Should resume %s: %s" % (given.agent_id, answer))
    return DONE if answer else NO


def _run_get(sessions: AgentSession, given: argparse.Namespace) -> int:
    session = sessions.get_session(given.agent_id)
    if session is None:
        print("Session %s not found" % given.agent_id)
        return NO
    print(json.dumps(session, indent=2))
    return DONE


def _run_list(sessions: AgentSession, given: argparse.Namespace) -> int:
    listed = sessions.list_sessions(given.active_only, given.agent)
    if not listed:
        print("No sessions found")
        return DONE
    print("\nFound %s sessions:\n" % len(listed))
    for session in listed:
        print("%s %s" % ("ACTIVE" if session["resume_ready"] else "INACTIVE", session["agent_id"]))
        print("  Agent: %s, Phase: %s" % (session["agent_name"], session["phase"]))
        print("  Last updated: %s" % session["last_updated"])
        if session["error_count"] > 0:
            print("  Errors: %s" % session["error_count"])
        print()
    return DONE


def _run_cleanup(sessions: AgentSession, given: argparse.Namespace) -> int:
    removed = sessions.cleanup_old_sessions(given.hours)
    print("Cleaned up %s sessions older than %sh" % (removed, given.hours))
    return DONE


_COMMANDS = {
    "create": _run_create,
    "update": _run_update,
    "should-resume": _run_should_resume,
    "get": _run_get,
    "finalize": _run_finalize,
    "list": _run_list,
    "cleanup": _run_cleanup,
}


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING, format="agent_session: %(message)s")
    sys.exit(main())
