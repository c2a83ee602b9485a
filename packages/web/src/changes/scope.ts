import type { ChangesQuery, Run, Session } from "@holdfast/protocol";

/** Which changes the panel shows. */
export type Scope =
  | { readonly of: "session" }
  | { readonly of: "last" }
  | { readonly of: "run"; readonly runId: string };

export function toQuery(scope: Scope): ChangesQuery {
  switch (scope.of) {
    case "session":
      return {};
    case "last":
      return { run: "last" };
    case "run":
      return { run: scope.runId };
    default:
      return scope satisfies never;
  }
}

/** The runs to choose from, newest first: those that changed files, and the chosen one. */
export function runsToChoose(runs: readonly Run[], scope: Scope): readonly Run[] {
  const chosen = scope.of === "run" ? scope.runId : null;
  return runs
    .filter(({ id, changes }) => id === chosen || (changes !== null && changes.files > 0))
    .toReversed();
}

/** Another value when the files may have changed: the list is then read again. */
export function changesStamp(
  { changes, rewind, state }: Pick<Session, "changes" | "rewind" | "state">,
  runs: readonly Run[],
): string {
  const ofRuns = runs.map((run) => [run.id, run.changes, run.rewoundAt]);
  return JSON.stringify([changes, rewind?.id, rewind?.status, state, ofRuns]);
}
