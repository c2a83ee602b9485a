import type { Session, Standing } from "../../domain/session.ts";
import type { ImportedSession } from "../../storage/store.ts";

/** The same session with other ids for some of its messages, runs and suspensions, wherever they are named. */
export function renamed(
  imported: ImportedSession,
  names: ReadonlyMap<string, string>,
): ImportedSession {
  const named = (id: string): string => names.get(id) ?? id;
  return {
    ...imported,
    session: renamedSession(imported.session, named),
    messages: imported.messages.map((message) => ({
      ...message,
      id: named(message.id),
      runId: message.runId === null ? null : named(message.runId),
    })),
    runs: imported.runs.map((run) => ({
      ...run,
      id: named(run.id),
      messageId: named(run.messageId),
    })),
    suspensions: imported.suspensions.map((suspension) => ({
      ...suspension,
      id: named(suspension.id),
      runId: named(suspension.runId),
    })),
    queued: imported.queued.map((message) => ({ ...message, messageId: named(message.messageId) })),
  };
}

function renamedSession(session: Session, named: (id: string) => string): Session {
  return {
    ...session,
    standing: renamedStanding(session.standing, named),
    queue: session.queue.map((entry) => ({
      ...entry,
      messageId: named(entry.messageId),
      runId: named(entry.runId),
    })),
  };
}

function renamedStanding(standing: Standing, named: (id: string) => string): Standing {
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
