import { useQuery } from "@tanstack/react-query";
import { useId, type ReactElement } from "react";
import { providersQuery } from "../api/queries.ts";
import { SetUpAgents } from "../list/set-up-agents.tsx";
import { Check } from "../ui/field.tsx";
import { MAX_AGENTS } from "./compare-texts.ts";

/** Chooses the agents of a comparison among those that are installed. */
export function AgentsField({
  chosen,
  onChange,
}: {
  readonly chosen: readonly string[];
  readonly onChange: (agents: readonly string[]) => void;
}): ReactElement {
  const { providers = [] } = useQuery(providersQuery).data ?? {};
  const hint = useId();
  const isFull = chosen.length >= MAX_AGENTS;
  const toggle = (name: string): void =>
    onChange(chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name]);
  return (
    <div className="flex flex-col gap-2">
      <fieldset aria-describedby={hint}>
        <legend className="text-sm font-medium">Agents</legend>
        <div className="mt-1 grid gap-x-5 sm:grid-cols-2">
          {providers
            .filter(({ installed }) => installed)
            .map(({ name, title }) => (
              <Check
                key={name}
                checked={chosen.includes(name)}
                disabled={isFull && !chosen.includes(name)}
                onChange={() => toggle(name)}
              >
                {title}
              </Check>
            ))}
        </div>
        <p id={hint} className="text-xs text-muted">
          Two to four. Each works in a worktree of its own.
        </p>
      </fieldset>
      <SetUpAgents />
    </div>
  );
}
