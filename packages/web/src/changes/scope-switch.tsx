import type { Run } from "@holdfast/protocol";
import type { ReactElement } from "react";
import { Select } from "../ui/field.tsx";
import { classNames } from "../ui/class-names.ts";
import { runText } from "./counts.ts";
import { runsToChoose, type Scope } from "./scope.ts";

interface SwitchProps {
  readonly scope: Scope;
  readonly runs: readonly Run[];
  /** The first words of the message of a run. */
  readonly nameOf: (runId: string) => string;
  readonly onChange: (scope: Scope) => void;
}

/** Chooses whose changes are shown: of the session, of its last run, or of one run. */
export function ScopeSwitch(props: SwitchProps): ReactElement {
  const { scope, runs, onChange } = props;
  const choices = runsToChoose(runs, scope);
  const newest = choices[0];
  return (
    <div className="flex flex-col gap-2">
      <fieldset className="flex gap-1 rounded-lg bg-sunken p-1">
        <legend className="sr-only">Changes of</legend>
        <Part pressed={scope.of === "session"} onPress={() => onChange({ of: "session" })}>
          This session
        </Part>
        <Part pressed={scope.of === "last"} onPress={() => onChange({ of: "last" })}>
          Last run
        </Part>
        <Part
          pressed={scope.of === "run"}
          disabled={newest === undefined}
          onPress={() => newest !== undefined && onChange({ of: "run", runId: newest.id })}
        >
          One run
        </Part>
      </fieldset>
      {scope.of === "run" && <RunSelect {...props} runId={scope.runId} choices={choices} />}
    </div>
  );
}

function Part({
  pressed,
  disabled = false,
  onPress,
  children,
}: {
  readonly pressed: boolean;
  readonly disabled?: boolean;
  readonly onPress: () => void;
  readonly children: string;
}): ReactElement {
  return (
    <button
      type="button"
      aria-pressed={pressed}
      disabled={disabled}
      onClick={onPress}
      className={classNames(
        "touch-target h-7 flex-1 rounded-md px-2 text-xs font-medium whitespace-nowrap disabled:text-muted",
        pressed ? "bg-surface text-fg shadow-sm" : "text-muted hover:text-fg",
      )}
    >
      {children}
    </button>
  );
}

function RunSelect({
  runId,
  choices,
  nameOf,
  onChange,
}: Pick<SwitchProps, "nameOf" | "onChange"> & {
  readonly runId: string;
  readonly choices: readonly Run[];
}): ReactElement {
  const isListed = choices.some(({ id }) => id === runId);
  return (
    <Select
      aria-label="Run"
      value={runId}
      onChange={(event) => onChange({ of: "run", runId: event.target.value })}
    >
      {!isListed && <option value={runId}>{nameOf(runId)}</option>}
      {choices.map((run) => (
        <option key={run.id} value={run.id}>
          {runOption(run, nameOf(run.id))}
        </option>
      ))}
    </Select>
  );
}

function runOption({ changes, rewoundAt }: Run, name: string): string {
  const counts = changes === null ? null : `(${runText(changes)})`;
  const mark = rewoundAt === null ? null : "(taken back)";
  return [name, counts, mark].filter((part) => part !== null).join(" ");
}
