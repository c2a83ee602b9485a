# The metrics of GAIA's page, and a query by time.
start=$(date -u +%Y-%m-%dT%H:%M:%SZ)
terraform=$(holdfast create --agent terraform-architect --purpose approval_workflow)
gitops=$(holdfast create --agent gitops-operator --purpose investigation)
holdfast finalize "$gitops" failed --summary "no access"

# Active means ready to be resumed.
[ "$(holdfast list --active-only | field .length)" = 0 ]
holdfast update "$terraform" --phase approval
holdfast list --active-only >active.json
[ "$(field '.map(({ agent_id }) => agent_id).join()' <active.json)" = "$terraform" ]

[ "$(holdfast list | field .length)" = 2 ]

[ "$(holdfast list --agent terraform-architect | field '.map(({ agent_id }) => agent_id).join()')" = "$terraform" ]

# Sessions of an episode: those created between its start and its end.
[ "$(holdfast list --from "$start" --to "$(date -u -d '+1 minute' +%Y-%m-%dT%H:%M:%SZ)" | field .length)" = 2 ]
[ "$(holdfast list --to "$start" | field .length)" = 0 ]

stats=$(holdfast stats --json --from "$start")
[ "$(field .sessions <<<"$stats")" = 2 ]
[ "$(field .successRate <<<"$stats")" = 0 ]
