# The quick start of GAIA's page, with `holdfast` instead of `python3 tools/4-memory/agent_session.py`.
agent=$(holdfast create --agent terraform-architect --purpose approval_workflow)
[[ $agent =~ ^agent-[0-9]{8}-[0-9]{6}-[0-9a-f]{8}$ ]]

holdfast update "$agent" --phase approval

holdfast should-resume "$agent"

holdfast list --active-only | grep -q "$agent"

holdfast finalize "$agent" completed

holdfast list --active-only | grep -qv "$agent"

holdfast cleanup --hours 24
holdfast get "$agent" | grep -q '"phase":"completed"'

# With a custom ID, as on the page.
holdfast create --id agent-20260108-abc123 --agent terraform-architect --purpose approval_workflow
holdfast update agent-20260108-abc123 --phase approval
holdfast should-resume agent-20260108-abc123
holdfast finalize agent-20260108-abc123 completed
