"""Uses `agent_session` as GAIA's documented workflows do. Arguments: the module's folder and, optionally, one check."""

import sys
import tempfile
from datetime import datetime, timedelta, timezone

sys.path.insert(0, sys.argv[1])

import agent_session  # noqa: E402
from agent_session import (  # noqa: E402
    AgentSession,
    create_session,
    finalize_session,
    get_session,
    list_sessions,
    should_resume,
    update_state,
)


def approval():
    agent_id = create_session(
        agent_name="terraform-architect", purpose="approval_workflow", metadata={"task_id": "T001"}
    )
    assert get_session(agent_id)["phase"] == "initializing"
    assert not should_resume(agent_id)
    assert update_state(agent_id, phase="planning")
    assert update_state(agent_id, phase="approval", error="-- needs a person")
    assert should_resume(agent_id)
    session = get_session(agent_id)
    assert [entry["to_phase"] for entry in session["history"]] == ["planning", "approval"]
    assert session["metadata"] == {"task_id": "T001"}
    assert session["error_count"] == 1
    assert session["last_error"]["message"] == "-- needs a person"
    assert "summary" not in session and "finalized_at" not in session
    for time in (session["created_at"], session["last_updated"], session["last_error"]["timestamp"]):
        assert abs(datetime.now(timezone.utc) - datetime.fromisoformat(time)) < timedelta(hours=1)
    assert update_state(agent_id, phase="executing")
    assert not should_resume(agent_id)
    assert finalize_session(agent_id, outcome="completed", summary="Applied ✓")
    session = get_session(agent_id)
    assert session["phase"] == "completed" and session["summary"] == "Applied ✓"
    assert session["duration_seconds"] >= 0
    assert not update_state(agent_id, phase="planning")


def investigation():
    agent_id = create_session(agent_name="gitops-operator", purpose="investigation")
    update_state(agent_id, phase="investigating", metadata={"findings": ["issue A", "issue B"]})
    assert should_resume(agent_id)
    findings = get_session(agent_id)["metadata"]["findings"]
    assert update_state(agent_id, metadata={"findings": findings + ["issue C"]})
    assert update_state(agent_id)
    assert get_session(agent_id)["metadata"] == {"findings": ["issue A", "issue B", "issue C"]}
    assert finalize_session(agent_id, outcome="nonsense")
    assert get_session(agent_id)["phase"] == "failed"


def lists():
    first = create_session()
    second = create_session(agent_name="gitops-operator")
    update_state(second, phase="planning")
    update_state(first, phase="approval")
    active = list_sessions(active_only=True)
    assert [session["agent_id"] for session in active] == [first, second]
    assert set(active[0]) == {
        "agent_id",
        "agent_name",
        "phase",
        "created_at",
        "last_updated",
        "resume_ready",
        "error_count",
    }
    assert active[0]["agent_name"] == "unknown"
    assert [session["agent_id"] for session in list_sessions(True, "unknown")] == [first]
    assert [session["agent_id"] for session in list_sessions(True, "gitops-operator")] == [second]


def absent():
    assert get_session("nobody") is None
    assert not should_resume("nobody")
    assert not update_state("nobody", phase="planning")
    assert not update_state("nobody", phase="nonsense")
    assert not finalize_session("--help", "completed")


def apart():
    before = len(list_sessions())
    with tempfile.TemporaryDirectory() as folder:
        manager = AgentSession(base_path=folder)
        agent_id = manager.create_session(agent_id="agent-of-my-own")
        assert agent_id == "agent-of-my-own"
        assert [session["agent_id"] for session in manager.list_sessions()] == [agent_id]
        assert get_session(agent_id) is None
        assert manager.cleanup_old_sessions(hours=0) == 1
        assert manager.list_sessions() == []
    assert len(list_sessions()) == before


def unreachable():
    manager = AgentSession()
    program = agent_session._program
    agent_session._program = lambda: ["no-such-program"]
    try:
        assert manager.get_session("x") is None
        assert not manager.should_resume("x")
        try:
            manager.create_session()
            raise AssertionError("created a session without a program")
        except OSError as error:
            assert "HOLDFAST_BIN" in str(error)
    finally:
        agent_session._program = program


for check in (approval, investigation, lists, absent, apart, unreachable):
    if check.__name__ in sys.argv[2:] or len(sys.argv) == 2:
        check()
