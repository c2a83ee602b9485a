# The hooks of GAIA's page, with `holdfast hook` instead of `python3 hooks/…`.
agent_id=$(holdfast create --id agent-123 --agent terraform-architect --purpose approval_workflow)
holdfast update "$agent_id" --phase approval

echo '{"agent_name": "terraform-architect", "agent_id": "agent-123"}' | holdfast hook pre-delegate >answer.json
[ "$(field .should_resume <answer.json)" = true ]
[ "$(field .reason <answer.json)" = session_resumable ]
[ "$(field .agent_id <answer.json)" = agent-123 ]
[ "$(field .resume_metadata.previous_phase <answer.json)" = approval ]
[ "$(field '.resume_metadata.history.length' <answer.json)" = 1 ]
[ "$(field .resume_metadata.session_metadata --json <answer.json)" = '{}' ]
[ "$(field '.resume_metadata.last_updated.endsWith("+00:00")' <answer.json)" = true ]
[ "$(field .original_context.agent_name <answer.json)" = terraform-architect ]

echo '{"task_info": {"agent_id": "agent-123"}}' | holdfast hook subagent-stop >answer.json
[ "$(field .finalized <answer.json)" = true ]
[ "$(field .success <answer.json)" = true ]
[ "$(holdfast get agent-123 | field .phase)" = completed ]

echo '{"agent_name": "terraform-architect", "agent_id": "agent-123"}' | holdfast hook pre-delegate >answer.json
[ "$(field .reason <answer.json)" = session_not_resumable ]
[ "$(field .detail <answer.json)" = not_resume_ready ]
echo '{"agent_name": "terraform-architect"}' | holdfast hook pre-delegate >answer.json
[ "$(field .reason <answer.json)" = no_existing_session ]

# Errors are reported and break nothing.
echo 'not JSON' | holdfast hook pre-delegate >answer.json
[ "$(field .should_resume <answer.json)" = false ]
[ "$(field .reason <answer.json)" = invalid_json ]
holdfast hook subagent-stop </dev/null >answer.json
[ "$(field .finalized <answer.json)" = false ]

holdfast hook pre-delegate --test
[ -s "$HOLDFAST_DATA/logs/hooks.log" ]
