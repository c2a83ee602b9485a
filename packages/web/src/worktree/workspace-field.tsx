import type { ReactElement } from "react";
import type { Draft } from "../list/new-session.ts";
import { BaseField } from "./base-field.tsx";

type WorkspaceChoice = Pick<Draft, "workspace" | "base">;

const CHOICES = [
  ["", "Default"],
  ["shared", "In the repository"],
  ["worktree", "In a worktree of its own"],
] as const;

/** Chooses where the agents of a new session work. */
export function WorkspaceField({
  workspace,
  base,
  onChange,
}: WorkspaceChoice & {
  readonly onChange: (changes: Partial<WorkspaceChoice>) => void;
}): ReactElement {
  return (
    <div className="flex flex-col gap-2">
      <fieldset>
        <legend className="text-sm font-medium">Where the agent works</legend>
        <div className="mt-1 flex flex-wrap gap-x-5">
          {CHOICES.map(([value, label]) => (
            <label key={value} className="touch-target flex items-center gap-2 text-sm">
              <input
                type="radio"
                name="workspace"
                className="size-4 shrink-0 accent-accent"
                checked={workspace === value}
                onChange={() => onChange({ workspace: value })}
              />
              {label}
            </label>
          ))}
        </div>
        <p className="text-xs text-muted">Default: as configured for the repository.</p>
      </fieldset>
      {workspace === "worktree" && (
        <BaseField value={base} onChange={(begin) => onChange({ base: begin })} />
      )}
    </div>
  );
}
