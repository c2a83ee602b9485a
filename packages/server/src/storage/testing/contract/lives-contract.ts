import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Command } from "../../../domain/kernel/command.ts";
import { decide } from "../../../domain/kernel/decide.ts";
import type { SessionEvent } from "../../../domain/kernel/event.ts";
import { evolveAll } from "../../../domain/kernel/evolve.ts";
import type { MessageContent } from "../../../domain/message.ts";
import { currentRunOf, openSuspensionsOf, type Session } from "../../../domain/session.ts";
import { anyIntents, commandOf, type Intent } from "../../../domain/testing/intent.ts";
import { repeat } from "../../../domain/testing/repeat.ts";
import type { Store } from "../../store.ts";
import type { OutputItem } from "../../ports/transcript-store.ts";
import type { Fence } from "../../ports/node-store.ts";
import { projectionOf } from "../event-projection.ts";
import { opening, textOf } from "../session-driver.ts";
import { sharedStore, type OpenTestStore } from "./shared-store.ts";

const LIVES = repeat({ short: 15, long: 500 });
const COMMANDS = 26;
const SESSION = "session-1";
const REPO = { id: "repo-1", path: "/work/lives", name: "lives", createdAt: 1 };

/** Random lives of sessions, in the kernel and in the store. */
export function livesContract(open: OpenTestStore): void {
  describe("whatever happens to a session", () => {
    const shared = sharedStore(open);

    it("its row, its log and the other tables agree (C5, C7)", async () => {
      await shared.store.addRepo(REPO);
      await fc.assert(
        fc.asyncProperty(anyLife(), async (steps) => {
          await shared.store.deleteSessions([SESSION]);
          const life = liveOn(shared.store);
          for (const [index, step] of steps.entries()) await life.take(step, index);
          await life.check();
        }),
        { numRuns: LIVES, endOnFailure: true },
      );
    }, 120_000);
  });
}

const END_OF_TALK: ReadonlySet<SessionEvent["type"]> = new Set(["run.ended", "run.requeued"]);

interface Step {
  readonly intent: Intent;
  /** The agent's output before the command, if a run is active. */
  readonly said: readonly Said[];
}

type Said = "opens" | "says" | "replaces" | "ends" | "whole";

function anyLife(): fc.Arbitrary<readonly Step[]> {
  const said = fc.constantFrom<Said>("opens", "opens", "says", "says", "replaces", "ends", "whole");
  return fc
    .tuple(
      anyIntents({ max: COMMANDS }),
      fc.array(fc.array(said, { maxLength: 3 }), { minLength: COMMANDS }),
    )
    .map(([intents, talk]) =>
      intents.map((intent, index) => ({ intent, said: talk[index] ?? [] })),
    );
}

/** The same session in memory and in the store. */
function liveOn(store: Store) {
  let session: Session | null = null;
  let events: SessionEvent[] = [];
  let contents: Record<string, MessageContent> = {};
  let fence: Fence | null = null;
  let openMessages: string[] = [];
  let clock = 1_000_000;
  let lastSeq = 0;

  async function take({ intent, said }: Step, fresh: number): Promise<void> {
    clock += intent.waitMs;
    await speak(said, fresh);
    await perform(
      tidied(commandOf(intent, { session, at: clock, fresh }), { session, fresh }),
      fresh,
    );
    expect(await load()).toEqual(session);
  }

  async function perform(command: Command, fresh: number): Promise<void> {
    const decision = decide(session, command);
    if (!decision.ok || decision.events.length === 0) return;
    const said = contentsFor(command, fresh);
    contents = { ...contents, ...said };
    const before = await store.load(SESSION);
    const committed = await store.commit({
      before: before.found === "session" ? before.stored : null,
      events: decision.events,
      contents: said,
    });
    session = evolveAll(session, decision.events);
    expect(committed).toMatchObject({ ok: true, stored: session === null ? null : { session } });
    if (!committed.ok) return;
    events.push(...decision.events);
    if (decision.events.some(({ type }) => END_OF_TALK.has(type))) openMessages = [];
    if (session === null) [events, fence, lastSeq] = [[], null, 0];
    else {
      const isAfterCrash = decision.events.some(
        (event) => event.type === "session.suspended" && event.cause === "crash",
      );
      // Numbers of output that a loss of power took are not given again.
      if (isAfterCrash) expect(committed.firstSeq).toBeGreaterThan(lastSeq + 100_000);
      else expect(committed.firstSeq).toBe(lastSeq + 1);
      lastSeq = committed.lastSeq;
    }
  }

  async function speak(said: readonly Said[], fresh: number): Promise<void> {
    const run = session === null ? null : currentRunOf(session);
    if (session === null || run === null || run.attempts === 0 || said.length === 0) return;
    fence ??= await claim();
    const items = said.flatMap((word, index) => itemsOf(word, `a${fresh}.${index}`));
    const appended = await store.append({
      sessionId: SESSION,
      runId: run.id,
      at: clock,
      fence,
      items,
      durable: false,
    });
    expect(appended).toMatchObject({ ok: true, firstSeq: lastSeq + 1 });
    if (appended.ok) lastSeq = appended.lastSeq;
    session = evolveAll(session, [{ type: "output.appended", at: clock }]);
  }

  function itemsOf(word: Said, id: string): readonly OutputItem[] {
    const messageId = openMessages.at(-1);
    if (word === "whole")
      return [
        { put: "message", message: { id, role: "agent", content: textOf(id) }, complete: true },
      ];
    if (word === "opens" || messageId === undefined) {
      openMessages.push(id);
      return [opening(id, "So: ")];
    }
    if (word === "says") return [{ put: "text", messageId, text: `${id} ` }];
    if (word === "replaces")
      return [{ put: "content", messageId, content: textOf("anew "), complete: false }];
    openMessages.pop();
    return [{ put: "end", messageId }];
  }

  async function claim(): Promise<Fence> {
    const claimed = await store.claim({ sessionId: SESSION, node: "node-1" });
    if (!claimed.ok) throw new Error("nobody else is there");
    return { node: "node-1", epoch: claimed.epoch };
  }

  async function load(): Promise<Session | null> {
    const loaded = await store.load(SESSION);
    if (loaded.found === "unreadable") throw new Error(loaded.reason);
    if (loaded.found === "nothing") return null;
    expect(loaded.stored.lastSeq).toBe(lastSeq);
    return loaded.stored.session;
  }

  async function check(): Promise<void> {
    const log = await store.readEvents({ sessionId: SESSION, after: 0, limit: 1000 });
    expect(log.flatMap((entry) => (entry.kind === "event" ? [entry.event] : []))).toEqual(events);
    expect(new Set(log.map(({ seq }) => seq)).size).toBe(log.length);
    const replayed = evolveAll(
      null,
      log.map((entry) =>
        entry.kind === "event" ? entry.event : { type: "output.appended", at: entry.at },
      ),
    );
    // Message entries in the log are compacted, so the log does not have the exact time of the last output.
    expect(without(replayed, "lastActiveAt")).toEqual(without(session, "lastActiveAt"));

    const expected = projectionOf(SESSION, events);
    expect(byId(await store.readRuns(SESSION))).toEqual(byId(expected.runs));
    const suspensions = await Promise.all(
      expected.suspensions.map(({ id }) => store.readSuspension(id)),
    );
    expect(suspensions).toEqual(expected.suspensions);
    const inbox = await store.openSuspensions();
    expect(byId(inbox)).toEqual(
      byId(expected.suspensions.filter(({ status }) => status === "open")),
    );
    expect(inbox.map(({ id }) => id)).toEqual(
      session === null ? [] : openSuspensionsOf(session).map(({ id }) => id),
    );

    const queue = await store.readQueue(SESSION);
    expect(queue.map(({ messageId, runId }) => ({ messageId, runId }))).toEqual(
      session?.queue.map(({ messageId, runId }) => ({ messageId, runId })) ?? [],
    );
    const messages = await store.readMessages({ sessionId: SESSION });
    const users = messages.filter(({ role }) => role === "user");
    const said = [
      ...queue.map((queued) => ({ id: queued.messageId, content: queued.content })),
      ...users,
    ];
    for (const { id, content } of said) {
      const { undelivered: _, injected: _injected, steering: _steering, ...rest } = content;
      expect({ id, content: rest }).toEqual({ id, content: contents[id] });
    }
    const growing = messages.filter(({ complete }) => !complete).map(({ id }) => id);
    expect(growing.toSorted()).toEqual(openMessages.toSorted());
    expect(messages.map(({ seq }) => seq)).toEqual(
      messages.map(({ seq }) => seq).toSorted((a, b) => a - b),
    );
  }

  return { take, check };
}

/** Suspensions as the runtime creates them, with increasing IDs and times. */
function tidied(
  command: Command,
  { session, fresh }: { session: Session | null; fresh: number },
): Command {
  if (command.type !== "suspend-run" || session === null) return command;
  const known = openSuspensionsOf(session).some(({ id }) => id === command.suspension.id);
  const id = known ? command.suspension.id : `s${String(fresh).padStart(3, "0")}`;
  const createdAt = Math.max(command.at, session.updatedAt);
  return { ...command, suspension: { ...command.suspension, id, createdAt } };
}

function contentsFor(command: Command, fresh: number): Record<string, MessageContent> {
  if (command.type === "send") return { [command.messageId]: textOf(`message ${fresh}`) };
  if (command.type === "edit-queued") return { [command.messageId]: textOf(`edited ${fresh}`) };
  return {};
}

function without(session: Session | null, key: keyof Session): object | null {
  return session && { ...session, [key]: undefined };
}

function byId<Row extends { readonly id: string }>(rows: readonly Row[]): readonly Row[] {
  return rows.toSorted((left, right) => (left.id < right.id ? -1 : 1));
}
