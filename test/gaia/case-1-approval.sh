# Case 1: an agent waits for an approval and continues with its whole context.
agent_id=$(holdfast create --agent terraform-architect --purpose approval_workflow --metadata '{"task_id": "T001"}')

holdfast update "$agent_id" --phase planning

holdfast update "$agent_id" --phase approval

# The user approves, and the hook checks before it delegates.
holdfast should-resume "$agent_id"
session=$(holdfast get "$agent_id")
[ "$(field .metadata.task_id <<<"$session")" = T001 ]
[ "$(field '.history.map(({ to_phase }) => to_phase).join()' <<<"$session")" = planning,approval ]
[ "$(field .resume_ready <<<"$session")" = true ]

holdfast update "$agent_id" --phase executing
! holdfast should-resume "$agent_id" >refused.json
[ "$(field .reason <refused.json)" = not_resume_ready ]

holdfast finalize "$agent_id" completed --summary "Terraform applied successfully"
session=$(holdfast get "$agent_id")
[ "$(field .phase <<<"$session")" = completed ]
[ "$(field .summary <<<"$session")" = "Terraform applied successfully" ]
[ "$(field '.duration_seconds > 0' <<<"$session")" = true ]
