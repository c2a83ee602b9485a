# GAIA's formats: names, times, errors and the order of a list.
older=$(holdfast create)
newer=$(holdfast create --agent gitops-operator)
holdfast update "$newer" --phase planning
holdfast update "$older" --phase approval

session=$(holdfast get "$older")
[ "$(field .agent_name <<<"$session")" = unknown ]
[ "$(field .purpose <<<"$session")" = general ]
[ "$(field .last_error <<<"$session")" = null ]
for time in .created_at .last_updated '.history[0].timestamp'; do
  [[ $(field "$time" <<<"$session") =~ ^[0-9-]{10}T[0-9:]{8}(\.[0-9]{6})?\+00:00$ ]]
done

names='.map(({ agent_id }) => agent_id).join(" ")'
[ "$(holdfast list --active-only | field "$names")" = "$older $newer" ]
[ "$(holdfast list | field "$names")" = "$older $newer" ]
holdfast update "$newer" --error "no access"
[ "$(holdfast list --active-only | field "$names")" = "$newer $older" ]
[ "$(holdfast list --active-only --limit 1 | field "$names")" = "$newer" ]
[ "$(holdfast get "$newer" | field '.last_error.timestamp.endsWith("+00:00")')" = true ]

# An archived session is not active, whatever its phase.
holdfast archive "$older"
[ "$(holdfast list --active-only | field "$names")" = "$newer" ]
