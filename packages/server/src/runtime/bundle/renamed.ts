import { hash } from "node:crypto";
import type { Session, Standing } from "../../domain/session.ts";
import type { BundlePart } from "./bundle-parts.ts";

/** Maps an id of the bundle to the id in this database. */
export type Naming = (id: string) => string;

/** New ids for messages, runs and suspensions. Each is a hash of the old id, so that no table of ids is needed. */
export function newNames(seed: string): Naming {
  return (id) => {
    const digits = hash("sha256", `${seed} ${id}`, "hex");
    const groups = [
      digits.slice(0, 8),
      digits.slice(8, 12),
      `8${digits.slice(13, 16)}`,
      `8${digits.slice(17, 20)}`,
      digits.slice(20, 32),
    ];
    return groups.join("-");
  };
}

export function renamedPart(
  { messages, runs, suspensions, queued }: BundlePart,
  named: Naming,
): Omit<BundlePart, "lineOf"> {
  return {
    messages: messages.map((message) => renamedRow(message, named)),
    runs: runs.map((run) => renamedRow(run, named)),
    suspensions: suspensions.map((suspension) => renamedRow(suspension, named)),
    queued: queued.map((message) => renamedRow(message, named)),
  };
}

interface Ids {
  readonly id?: string;
  readonly messageId?: string;
  readonly runId?: string | null;
}

/** Renames the ids that the row has. */
export function renamedRow<Row extends Ids>(row: Row, named: Naming): Row {
  const { id, messageId, runId } = row;
  return {
    ...row,
    ...(id !== undefined && { id: named(id) }),
    ...(messageId !== undefined && { messageId: named(messageId) }),
    ...(typeof runId === "string" && { runId: named(runId) }),
  };
}

export function renamedSession(session: Session, named: Naming): Session {
  return {
    ...session,
    standing: renamedStanding(session.standing, named),
    resumeData: session.resumeData.map(({ seen, ...point }) => ({
      ...point,
      seen: seen === null ? null : named(seen),
    })),
    queue: session.queue.map((entry) => renamedRow(entry, named)),
  };
}

function renamedStanding(standing: Standing, named: Naming): Standing {
  if (!("activity" in standing) || standing.activity.state !== "suspended") return standing;
  const { run, suspensions } = standing.activity;
  const [first, ...more] = suspensions;
  return {
    ...standing,
    activity: {
      state: "suspended",
      run: renamedRow(run, named),
      suspensions: [renamedRow(first, named), ...more.map((each) => renamedRow(each, named))],
    },
  };
}
