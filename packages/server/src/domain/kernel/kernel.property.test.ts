import { describe, expect, it } from "vitest";
import type { Command } from "./command.ts";
import { decide } from "./decide.ts";
import type { SessionEvent } from "./event.ts";
import { evolveAll } from "./evolve.ts";
import { PHASES } from "../phase.ts";
import { REFUSAL_CODES } from "./refusal.ts";
import {
  activityOf,
  currentRunOf,
  openSuspensionsOf,
  stateOf,
  statusOf,
  type Session,
} from "../session.ts";
import { LEGAL_STATES, STATUSES, type State, type Status } from "../status.ts";
import { always, everyStep, LIVES_THAT_MEET_ALL } from "../testing/always.ts";
import { expectSame } from "../testing/same.ts";
import { deepFreeze, eventsOf, throughDisk } from "../testing/walk.ts";

describe("a session after random commands", () => {
  it("A7 has a legal status and state, with exactly the data that belongs to them", () => {
    everyStep(({ after }) => {
      if (after === null) return;
      const states: readonly State[] = LEGAL_STATES[statusOf(after)];
      if (!states.includes(stateOf(after)))
        throw new Error(`${statusOf(after)} and ${stateOf(after)}`);
      expectSame(Object.keys(after.standing).sort(), STANDING_KEYS[statusOf(after)]);
      expectSame(Object.keys(activityOf(after)).sort(), ACTIVITY_KEYS[stateOf(after)]);
      const open = openSuspensionsOf(after).map(({ id }) => id);
      expectSame(new Set(open).size, open.length);
      if (stateOf(after) === "suspended" && open.length === 0)
        throw new Error("suspended, waiting for nothing");
    });
  });

  it("A7 changes its status only by commands that may change it", () => {
    everyStep(({ before, after, command }) => {
      if (before === null || after === null || statusOf(before) === statusOf(after)) return;
      const causes: readonly string[] = CAUSES[`${statusOf(before)} → ${statusOf(after)}`] ?? [];
      if (!causes.includes(command.type)) {
        throw new Error(`${command.type} made ${statusOf(before)} ${statusOf(after)}`);
      }
    });
  });

  it("C1 is suspended only while it runs, and continues the same run", () => {
    everyStep(({ before, after }) => {
      if (before === null || after === null) return;
      const [was, is] = [stateOf(before), stateOf(after)];
      if (was === "idle" && is === "suspended") throw new Error("it waits without having worked");
      if (was === "suspended" && is === "suspended")
        expectSame(currentRunOf(after), currentRunOf(before));
      if (was === "running" && is === "suspended")
        expectSame(currentRunOf(after), currentRunOf(before));
    });
  });

  it("is the same when its events are replayed, even from disk", () => {
    always((steps) => {
      const log = steps.flatMap(({ decision }) => eventsOf(decision));
      const live = steps.at(-1)?.after ?? null;
      expectSame(evolveAll(null, log), live);
      const stored = throughDisk(log);
      expectSame(stored, log);
      expectSame(evolveAll(null, stored), live);
    });
  });

  it("decides the same after it was read from disk", () => {
    everyStep(({ before, command, decision }) => {
      expectSame(decide(throughDisk(before), command), decision);
    });
  });

  it("records nothing, or refuses, when a command is repeated at once", () => {
    everyStep(({ command, after }) => {
      const again = decide(after, command);
      expectSame(evolveAll(after, eventsOf(again)), after);
      // The kernel does not know the text of a message, so every edit is recorded.
      const expected = command.type === "edit-queued" ? eventsOf(again).slice(0, 1) : [];
      expectSame(eventsOf(again), expected);
    });
  });

  it("is not changed by a refused command", () => {
    always((steps) => {
      const accepted = steps.filter(({ decision }) => decision.ok);
      const session = accepted.reduce<Session | null>(
        (before, { command }) => evolveAll(before, eventsOf(decide(before, command))),
        null,
      );
      expectSame(session, steps.at(-1)?.after ?? null);
    });
  });

  it("gives the reason, status and state with every refusal", () => {
    everyStep(({ before, decision }) => {
      if (decision.ok) return;
      const { code, message, status, state } = decision.refusal;
      if (!REFUSAL_CODES.includes(code) || message === "")
        throw new Error(`refused without a reason: ${code}`);
      expectSame(
        [status, state],
        before === null ? [null, null] : [statusOf(before), stateOf(before)],
      );
    });
  });

  it("never goes back in time, whatever the clock shows", () => {
    everyStep(({ before, command, decision, after }) => {
      if (after === null) return;
      const { createdAt, updatedAt, lastActiveAt } = after;
      if (createdAt > lastActiveAt || lastActiveAt > updatedAt)
        throw new Error("its times are out of order");
      if (before === null) return;
      if (updatedAt < before.updatedAt || lastActiveAt < before.lastActiveAt)
        throw new Error("it went back in time");
      const at = Math.max(command.at, before.updatedAt);
      for (const event of eventsOf(decision)) expectSame(event.at, at);
    });
  });

  it("ruling 15: keeps its times when the server stops and starts", () => {
    everyStep(({ before, command, after }) => {
      if (command.type !== "suspend" && command.type !== "come-back") return;
      if (before === null || after === null) return;
      expectSame(after.lastActiveAt, before.lastActiveAt);
      const isCrash = command.type === "suspend" && command.cause === "crash";
      if (stateOf(before) !== "running" && !isCrash) expectSame(after.updatedAt, before.updatedAt);
    });
  });

  it("ruling 14: is never suspended by a stop or a crash if it has no repository", () => {
    everyStep(({ before, command, after }) => {
      if (command.type !== "suspend" || before?.repoId !== null || after === null) return;
      expectSame(statusOf(after), statusOf(before));
    });
  });

  it("ruling 15: counts a reported phase as activity, even the current phase", () => {
    everyStep(({ before, command, decision, after }) => {
      if (command.type !== "update" || command.phase === undefined || !decision.ok) return;
      if (before !== null)
        expectSame(
          after?.lastActiveAt,
          Math.max(command.at, before.updatedAt, before.lastActiveAt),
        );
    });
  });

  it("is never changed in place: everything works with frozen values", () => {
    always(
      (steps) => {
        const notFrozen = steps.filter(
          ({ before, command }) => !Object.isFrozen(before) || !Object.isFrozen(command),
        );
        expectSame(notFrozen, []);
      },
      { keep: deepFreeze },
    );
  });

  it("B2 has a phase that affects nothing else", () => {
    everyStep(({ before, command, decision, after }, index) => {
      if (before === null || after === null) return;
      if (command.type === "update" || command.type === "finalize") {
        expectSame([after.standing, after.queue], [before.standing, before.queue]);
        return;
      }
      const phase = PHASES[(PHASES.indexOf(before.phase) + 1 + index) % PHASES.length] ?? "failed";
      expectSame(decide({ ...before, phase }, command), decision);
    });
  });
});

describe("the random histories", () => {
  it("contain every legal pair, command, event and refusal", () => {
    const met = new Set<string>();
    everyStep(
      ({ command, decision, after }) => {
        if (after !== null) met.add(`${statusOf(after)} and ${stateOf(after)}`);
        if (!decision.ok) met.add(decision.refusal.code);
        else if (decision.events.length > 0) met.add(`${command.type} accepted`);
        for (const event of eventsOf(decision)) met.add(event.type);
        if (after !== null && openSuspensionsOf(after).length > 1) met.add("several suspensions");
        if (command.type === "answer" && decision.ok && after !== null)
          met.add(`answered, then ${stateOf(after)}`);
      },
      { lives: LIVES_THAT_MEET_ALL },
    );
    const pairs = STATUSES.flatMap((status) =>
      LEGAL_STATES[status].map((state) => `${status} and ${state}`),
    );
    const expected = [
      ...pairs,
      ...REFUSAL_CODES,
      ...Object.keys(COMMAND_TYPES).map((type) => `${type} accepted`),
      ...Object.keys(EVENT_TYPES),
      "several suspensions",
      "answered, then running",
      "answered, then suspended",
    ];
    expect([...met].sort()).toEqual(expected.sort());
  });
});

const STANDING_KEYS: Record<Status, readonly string[]> = {
  active: ["activity", "status"],
  suspended: ["activity", "reason", "status", "suspendedAt"],
  archived: ["archivedAt", "status"],
  error: ["failedAt", "reason", "status"],
};

const ACTIVITY_KEYS: Record<State, readonly string[]> = {
  idle: ["state"],
  running: ["run", "state"],
  suspended: ["run", "state", "suspensions"],
};

const CAUSES: Record<string, readonly Command["type"][]> = {
  "active → suspended": ["suspend", "come-back"],
  "suspended → active": ["send", "resume", "come-back", "start-run", "answer", "close-suspension"],
  "active → archived": ["archive"],
  "suspended → archived": ["archive"],
  "active → error": ["fail"],
  "suspended → error": ["fail"],
};

const COMMAND_TYPES: Record<Command["type"], true> = {
  create: true,
  send: true,
  update: true,
  cancel: true,
  release: true,
  answer: true,
  resume: true,
  archive: true,
  fail: true,
  finalize: true,
  delete: true,
  "edit-queued": true,
  "move-queued": true,
  "withdraw-queued": true,
  "start-run": true,
  "hand-run": true,
  "retry-run": true,
  "requeue-run": true,
  "steer-run": true,
  "drop-steering": true,
  "suspend-run": true,
  "close-suspension": true,
  "end-run": true,
  "record-resume": true,
  "keep-settings": true,
  "suggest-title": true,
  "record-files": true,
  "record-worktree": true,
  "record-pull-request": true,
  rewind: true,
  "end-rewind": true,
  suspend: true,
  "come-back": true,
};

/** The events that `decide` records. Output of an agent and an import need no decision. */
const EVENT_TYPES: Record<
  Exclude<SessionEvent["type"], "output.appended" | "session.imported">,
  true
> = {
  "session.created": true,
  "session.updated": true,
  "session.suspended": true,
  "session.resumed": true,
  "session.touched": true,
  "session.archived": true,
  "session.failed": true,
  "session.finalized": true,
  "session.deleted": true,
  "phase.changed": true,
  "error.recorded": true,
  "resume.recorded": true,
  "settings.changed": true,
  "files.recorded": true,
  "worktree.changed": true,
  "pull-request.opened": true,
  "session.rewound": true,
  "rewind.ended": true,
  "message.queued": true,
  "message.edited": true,
  "message.moved": true,
  "message.withdrawn": true,
  "message.undelivered": true,
  "message.steered": true,
  "run.started": true,
  "run.handed": true,
  "run.retried": true,
  "run.requeued": true,
  "run.suspended": true,
  "suspension.closed": true,
  "run.resumed": true,
  "run.ended": true,
};
