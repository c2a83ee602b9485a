# "The session does not resume": each common cause is reported.
agent_id=$(holdfast create --agent test-agent --purpose test)

reason() {
  ! holdfast should-resume "$@" >decision.json
  field .reason <decision.json
}

[ "$(reason "$agent_id")" = not_resume_ready ]

holdfast update "$agent_id" --phase investigating
[ "$(reason "$agent_id" --timeout-minutes 0.000001)" = inactive_too_long ]

for error in one two three; do holdfast update "$agent_id" --error "$error"; done
[ "$(reason "$agent_id")" = too_many_errors ]

session=$(holdfast get "$agent_id")
[ "$(field .error_count <<<"$session")" = 3 ]
[ "$(field .last_error.message <<<"$session")" = three ]
[ "$(field '.last_error.timestamp === value.last_updated' <<<"$session")" = true ]

holdfast update "$agent_id" --reset-errors
holdfast should-resume "$agent_id"
session=$(holdfast get "$agent_id")
[ "$(field .error_count <<<"$session")" = 0 ]
[ "$(field .last_error.message <<<"$session")" = three ]

[ "$(reason agent-unknown)" = session_not_found ]

# "Corrupt session": it is reported and skipped, and the others are unchanged.
mkdir -p .claude/session/agent-20260108-180530-abc12345 .claude/session/agent-20260108-180531-broken00
cat >.claude/session/agent-20260108-180530-abc12345/state.json <<'JSON'
{
  "agent_id": "agent-20260108-180530-abc12345",
  "agent_name": "terraform-architect",
  "purpose": "approval_workflow",
  "created_at": "2026-01-08T18:05:30Z",
  "last_updated": "2026-01-08T18:10:15Z",
  "phase": "approval",
  "metadata": {"task_id": "T001", "tags": ["terraform", "infrastructure"]},
  "resume_ready": true,
  "history": [
    {"from_phase": "initializing", "to_phase": "investigating", "timestamp": "2026-01-08T18:06:00Z"},
    {"from_phase": "investigating", "to_phase": "approval", "timestamp": "2026-01-08T18:10:15Z"}
  ],
  "error_count": 0,
  "last_error": null
}
JSON
printf '{"agent_id": "agent-2026' >.claude/session/agent-20260108-180531-broken00/state.json
code=0
holdfast import .claude/session --json >imported.json 2>errors.txt || code=$?
[ "$code" = 2 ]
grep -q "agent-20260108-180531-broken00/state.json: is not JSON" errors.txt
[ "$(field .imported <imported.json)" = 1 ]
[ "$(field '.refused.length' <imported.json)" = 1 ]
[ "$(holdfast get agent-20260108-180530-abc12345 | field '.metadata.tags.join()')" = terraform,infrastructure ]
[ -f .claude/session/agent-20260108-180531-broken00/state.json ]

# Without the broken file nothing changes, and a changed file is reported as updated.
rm -r .claude/session/agent-20260108-180531-broken00
state=.claude/session/agent-20260108-180530-abc12345/state.json
[ "$(holdfast import .claude/session --json | field .unchanged)" = 1 ]
sed -i.before 's/"last_updated": "2026-01-08T18:10:15Z"/"last_updated": "2026-01-08T18:11:00Z"/' "$state"
[ "$(holdfast import .claude/session --json | field '.updated')" = 1 ]
holdfast update agent-20260108-180530-abc12345 --phase executing
sed -i.before 's/"phase": "approval"/"phase": "planning"/' "$state"
holdfast import .claude/session --json >imported.json 2>errors.txt
[ "$(field .unchanged <imported.json)" = 0 ]
[ "$(field '.kept.length' <imported.json)" = 1 ]
grep -q "was changed here" errors.txt
