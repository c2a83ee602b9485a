import { describe, it } from "vitest";
import { decide } from "./kernel/decide.ts";
import { dutyOf, type Duty } from "./kernel/duty.ts";
import { evolveAll } from "./kernel/evolve.ts";
import { noticesOf } from "./message.ts";
import { currentRunOf, openSuspensionsOf, stateOf, type Session } from "./session.ts";
import { always, everyStep } from "./testing/always.ts";
import { START } from "./testing/commands.ts";
import { openLedger, type Ledger } from "./testing/ledger.ts";
import { expectSame } from "./testing/same.ts";
import { eventsOf, type Step } from "./testing/walk.ts";

describe("a session after random commands", () => {
  it("has at most one current run, ends every run at most once, and all when it is final", () => {
    withLedger(({ after }, ledger) => {
      expectSame(after === null ? null : (currentRunOf(after)?.id ?? null), ledger.running);
      if (after === null || !isFinal(after)) return;
      const open = [...ledger.fates].filter(([, fate]) => OPEN_FATES.has(fate));
      expectSame(open, []);
    });
  });

  it("C3 closes every suspension exactly once, at the latest with its run", () => {
    withLedger(({ after }, ledger) => {
      expectSame(
        after === null ? [] : openSuspensionsOf(after).map(({ id }) => id),
        ledger.waiting,
      );
      if (ledger.running === null) expectSame(ledger.waiting, []);
    });
  });

  it("C6 loses no accepted message: it is queued, running, ended, withdrawn or undelivered", () => {
    withLedger(({ command, decision, after }, ledger) => {
      if (command.type === "send" && decision.ok && !ledger.fates.has(command.messageId)) {
        throw new Error(`${command.messageId} was accepted and is nowhere`);
      }
      if (after === null) return;
      const queued = [...ledger.fates]
        .filter(([, fate]) => fate === "queued" || fate === "given")
        .map(([id]) => id);
      expectSame(ledger.queue.toSorted(), queued.sort());
      expectSame(
        after.queue.map(({ messageId }) => messageId),
        ledger.queue,
      );
    });
  });

  it("C6 queues at the tail, interrupts at the head, and starts in the order of the queue", () => {
    withLedger(({ before, command, decision }) => {
      if (command.type !== "send" || before === null) return;
      const positions = eventsOf(decision).flatMap((event) =>
        event.type === "message.queued" ? event.position : [],
      );
      const place = command.delivery === "interrupt" ? 0 : before.queue.length;
      if (positions.length > 0) expectSame(positions, [place]);
    });
  });

  it("D2 gives a steered message to an agent at most once, and says so if nobody knows whether it arrived", () => {
    withLedger(({ before, decision, after }, ledger) => {
      // The ledger refuses a second gift, and an outcome of a message that was not given.
      const given = [...ledger.fates].filter(([, fate]) => fate === "given").map(([id]) => id);
      if (ledger.running === null) expectSame(given, []);
      const steered = after?.queue.filter(({ steer }) => steer !== undefined) ?? [];
      if (after !== null && currentRunOf(after) === null) expectSame(steered, []);
      if (after !== null)
        expectSame(
          steered
            .filter(({ steer }) => steer === "given")
            .map(({ messageId }) => messageId)
            .sort(),
          given.sort(),
        );
      const lost = before?.queue.filter(({ steer }) => steer === "given") ?? [];
      const ended = eventsOf(decision).some(({ type }) => type === "run.ended");
      for (const { messageId } of ended ? lost : []) {
        const said = eventsOf(decision)
          .flatMap((event) => noticesOf(event))
          .map((notice) => notice["messageId"]);
        if (!said.includes(messageId)) throw new Error(`${messageId} was lost in silence`);
      }
    });
  });

  it("has the duty of its state, and can start exactly the run that its duty names", () => {
    everyStep(({ before, after, command, decision }) => {
      if (command.type === "start-run" && eventsOf(decision).length > 0) {
        const { runId } = command;
        const messageId = before?.queue[0]?.messageId;
        expectSame(dutyOf(before), { do: "start", runId, messageId });
      }
      const duty = dutyOf(after);
      expectSame(duty, expectedDuty(after));
      if (duty.do !== "start" || after === null) return;
      const { at } = command;
      const started = decide(after, { type: "start-run", at, runId: duty.runId, start: START });
      const next = evolveAll(after, eventsOf(started));
      expectSame(dutyOf(next), { do: "drive", runId: duty.runId, handed: false });
    });
  });
});

const OPEN_FATES: ReadonlySet<string> = new Set(["queued", "running", "given"]);

/** Keeps a ledger of the session from its creation to its deletion. */
function withLedger(law: (step: Step, ledger: Ledger) => void): void {
  always((steps) => {
    let ledger = openLedger();
    for (const step of steps) {
      if (step.before === null) ledger = openLedger();
      eventsOf(step.decision).forEach(ledger.record);
      law(step, ledger);
    }
  });
}

function isFinal(session: Session): boolean {
  return session.standing.status === "archived" || session.standing.status === "error";
}

function expectedDuty(session: Session | null): Duty {
  if (session === null || isFinal(session)) return { do: "clear" };
  const run = currentRunOf(session);
  const [next] = session.queue;
  if (run === null && session.rewind?.status === "restoring")
    return { do: "restore", rewind: session.rewind };
  if (run === null) {
    const starts = next !== undefined && session.delivery === "open";
    return starts ? { do: "start", runId: next.runId, messageId: next.messageId } : { do: "rest" };
  }
  if (stateOf(session) === "running") return { do: "drive", runId: run.id, handed: run.handed };
  const deadlines = openSuspensionsOf(session).flatMap(({ expiresAt }) =>
    expiresAt === null ? [] : [expiresAt],
  );
  return {
    do: "await",
    runId: run.id,
    until: deadlines.length === 0 ? null : Math.min(...deadlines),
  };
}
