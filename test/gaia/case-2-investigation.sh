# Case 2: an investigation over several turns, each with the findings of the previous one.
agent_id=$(holdfast create --agent gitops-operator --purpose investigation)
holdfast update "$agent_id" --phase investigating --metadata '{"findings": ["issue A", "issue B"]}'

# The user asks a further question five minutes later.
holdfast should-resume "$agent_id"
findings=$(holdfast get "$agent_id" | field '.metadata.findings.concat("issue C")' --json)
holdfast update "$agent_id" --metadata "{\"findings\": $findings}"
[ "$(holdfast get "$agent_id" | field '.metadata.findings.join()')" = "issue A,issue B,issue C" ]

holdfast finalize "$agent_id" completed
! holdfast should-resume "$agent_id" >refused.json
[ "$(field .should_resume <refused.json)" = false ]
