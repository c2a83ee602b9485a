import { hash } from "node:crypto";
import type { Session, Standing } from "../../domain/session.ts";
import type { StagedSuspension } from "../../storage/ports/import-store.ts";
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
    messages: messages.map((message) => ({
      ...message,
      id: named(message.id),
      runId: message.runId === null ? null : named(message.runId),
    })),
    runs: runs.map((run) => ({ ...run, id: named(run.id), messageId: named(run.messageId) })),
    suspensions: suspensions.map((suspension) => renamedSuspension(suspension, named)),
    queued: queued.map((message) => ({
      ...message,
      messageId: named(message.messageId),
      runId: named(message.runId),
    })),
  };
}

export function renamedSuspension(suspension: StagedSuspension, named: Naming): StagedSuspension {
  return { ...suspension, id: named(suspension.id), runId: named(suspension.runId) };
}

export function renamedSession(session: Session, named: Naming): Session {
  return {
    ...session,
    standing: renamedStanding(session.standing, named),
    resumeData: session.resumeData.map(({ seen, ...point }) => ({
      ...point,
      seen: seen === null ? null : named(seen),
    })),
    queue: session.queue.map((entry) => ({
      ...entry,
      messageId: named(entry.messageId),
      runId: named(entry.runId),
    })),
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
      run: { ...run, id: named(run.id), messageId: named(run.messageId) },
      suspensions: [
        { ...first, id: named(first.id) },
        ...more.map((suspension) => ({ ...suspension, id: named(suspension.id) })),
      ],
    },
  };
}
