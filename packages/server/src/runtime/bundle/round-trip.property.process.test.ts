import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { asImported, cutForExport } from "../../domain/carry-over.ts";
import type { Command } from "../../domain/kernel/command.ts";
import { evolveAll } from "../../domain/kernel/evolve.ts";
import type { MessageContent } from "../../domain/message.ts";
import { withPartial } from "../../domain/message.ts";
import { currentRunOf, type Session } from "../../domain/session.ts";
import { NOON } from "../../domain/testing/commands.ts";
import { anyIntents, commandOf, type Intent } from "../../domain/testing/intent.ts";
import { opening, textOf } from "../../storage/testing/session-driver.ts";
import { openTestStore, type TestStore } from "../../storage/testing/test-database.ts";
import { executeCommand } from "../execute-command.ts";
import { exportBundle } from "./export-bundle.ts";
import { importBundle } from "./import-bundle.ts";
import { collect, from } from "./testing/lines.ts";
import { repeat } from "../../domain/testing/repeat.ts";

const SESSION = "session-1";
const REPO = { id: "repo-1", path: "/work/repo", name: "repo", createdAt: 1 };

describe.each(["sqlite", "postgres"] as const)("export, delete, import on %s", (engine) => {
  let test: TestStore;
  let now: number;
  beforeEach(async () => {
    test = await openTestStore(engine);
    await test.store.addRepo(REPO);
    now = NOON;
  });
  afterEach(() => test.close());

  it("A13 gives the same messages, runs, questions, queue, phases and metadata, after any life", async () => {
    await fc.assert(
      fc.asyncProperty(anyIntents({ max: 20 }), async (intents) => {
        await test.store.deleteSessions([SESSION]);
        for (const [index, intent] of intents.entries()) await live(intent, index);
        const before = await everything();
        if (before === null) return;
        const exported = await exportBundle({ store: test.store, clock }, SESSION);
        if (!exported.ok) throw new Error(exported.refusal.message);
        const lines = await collect(exported.lines);
        await test.store.deleteSessions([SESSION]);
        const imported = await importBundle(context(), from(lines));
        expect(imported).toMatchObject({ ok: true, session: { id: SESSION } });
        const after = await everything();
        expect(after).toEqual(expectedOf(before, after));
      }),
      { numRuns: repeat({ short: 12, long: 100 }), endOnFailure: true },
    );
  });

  const clock = (): number => now;
  const context = () => ({ store: test.store, newId: randomUUID, clock });

  async function live(intent: Intent, index: number): Promise<void> {
    now += intent.waitMs;
    const loaded = await test.store.load(SESSION);
    const session = loaded.found === "session" ? loaded.stored.session : null;
    const command = tidied(commandOf(intent, { session, at: now, fresh: index }), index);
    const contents: Record<string, MessageContent> =
      command.type === "send" || command.type === "edit-queued"
        ? { [command.messageId]: textOf(`said ${index}`) }
        : {};
    await executeCommand(context(), { sessionId: SESSION, command, extras: { contents } });
    await speak(index);
  }

  /** Gives each question an id of its own, like the runtime. */
  function tidied(command: Command, index: number): Command {
    if (command.type !== "suspend-run") return command;
    return { ...command, suspension: { ...command.suspension, id: `s${index}` } };
  }

  /** An agent at work begins to say something; the next end of its run completes it. */
  async function speak(index: number): Promise<void> {
    const loaded = await test.store.load(SESSION);
    const run = loaded.found === "session" ? currentRunOf(loaded.stored.session) : null;
    if (run === null) return;
    const claim = await test.store.claim({ sessionId: SESSION, node: "node" });
    if (!claim.ok) throw new Error("nobody else is there");
    const id = `said-${index}`;
    await test.store.append({
      sessionId: SESSION,
      runId: run.id,
      at: now,
      fence: { node: "node", epoch: claim.epoch },
      items: [opening(id, "So "), { put: "text", messageId: id, text: "far." }],
      durable: false,
    });
  }

  async function everything() {
    const loaded = await test.store.load(SESSION);
    if (loaded.found !== "session") return null;
    return {
      session: loaded.stored.session,
      messages: await test.store.readMessages({ sessionId: SESSION }),
      // Snapshots of files stay where they are.
      runs: (await test.store.readRuns(SESSION)).map((run) => ({
        ...run,
        filesBefore: null,
        filesAfter: null,
      })),
      suspensions: await test.store.readSuspensions(SESSION),
      queue: await test.store.readQueue(SESSION),
    };
  }

  type Everything = NonNullable<Awaited<ReturnType<typeof everything>>>;

  /** All as it was, but for a run that was at work, what was to steer it, and what is said about the import itself. */
  function expectedOf(before: Everything, after: Everything | null): Everything {
    const events = cutForExport(before.session, Math.max(now, before.session.updatedAt));
    const cut = evolveAll(before.session, events);
    if (cut === null) throw new Error("nothing was deleted");
    const wasRunning = currentRunOf(before.session)?.id;
    const isCut = events.length > 0;
    const session: Session = asImported(cut, { at: now, repoId: before.session.repoId });
    const whole = before.messages.map((message) => ({
      ...message,
      content: withPartial(message.content, true),
      complete: true,
    }));
    const added = after?.messages.slice(whole.length) ?? [];
    expect(added.every(({ role }) => role === "system")).toBe(true);
    expect(added.length).toBeLessThanOrEqual(2);
    return {
      session: { ...session, queue: session.queue.map(notSteering) },
      messages: [...whole, ...added],
      runs: before.runs.map((run) =>
        isCut && run.id === wasRunning ? { ...run, ...cutRun(run.id, session) } : run,
      ),
      suspensions: before.suspensions,
      queue:
        isCut && session.queue.length > before.queue.length
          ? (after?.queue ?? [])
          : before.queue.map(notSteering),
    };
  }

  function notSteering<Entry extends { readonly steer?: unknown }>({ steer: _, ...entry }: Entry) {
    return entry;
  }

  function cutRun(runId: string, { queue, updatedAt }: Session) {
    if (queue.some((entry) => entry.runId === runId))
      return { status: "queued", startedAt: null, memory: null } as const;
    const stopReason = "the session was exported while the agent was at work";
    return { status: "interrupted", stopReason, endedAt: updatedAt } as const;
  }
});
