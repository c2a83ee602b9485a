import { describe, expect, it } from "vitest";
import type { QueuedMessage } from "../../ports/run-store.ts";
import {
  HANDED,
  NOON,
  opening,
  sendCommand,
  textOf,
  type Sent,
  type SessionDriver,
} from "../session-driver.ts";
import type { SharedStore } from "./shared-store.ts";

/** Queued messages, and how they leave the queue. */
export function queueContract(shared: SharedStore): void {
  describe("the queue of a session", () => {
    /** A session with a running message and queued messages. */
    async function busyWith(...texts: readonly string[]): Promise<{
      session: SessionDriver;
      current: Sent;
      queued: readonly Sent[];
    }> {
      const session = await shared.begin();
      const current = await session.run("First of all.");
      const queued: Sent[] = [];
      for (const text of texts) queued.push(await session.send(text));
      return { session, current, queued };
    }

    async function textsOf(session: SessionDriver): Promise<readonly unknown[]> {
      const queue = await shared.store.readQueue(session.id);
      const { session: stored } = await session.stored();
      expect(queue.map(({ messageId }) => messageId)).toEqual(
        stored.queue.map(({ messageId }) => messageId),
      );
      const read = await shared.store.readSession(session.id);
      expect(read).toMatchObject({ record: { queued: queue.length } });
      return queue.map(({ content }) => content["text"]);
    }

    function contents(sent: Sent | undefined, text: string) {
      return { contents: { [sent?.messageId ?? ""]: textOf(text) } };
    }

    it("C6 holds messages in order, with the options of each", async () => {
      const session = await shared.begin();
      await session.run("First of all.");
      const command = sendCommand({ provider: "other", model: "large", continuity: "required" });
      await session.perform(command, {
        contents: { [command.messageId]: { type: "text", text: "b", images: [1] } },
      });
      const plain = await session.send("c");
      const expected: readonly QueuedMessage[] = [
        {
          messageId: command.messageId,
          runId: command.runId,
          content: { type: "text", text: "b", images: [1], partial: false },
          provider: "other",
          model: "large",
          queuedAt: NOON + 2000,
        },
        { ...plain, content: textOf("c"), provider: null, model: null, queuedAt: NOON + 3000 },
      ];
      expect(await shared.store.readQueue(session.id)).toEqual(expected);
      expect((await session.stored()).session.queue).toEqual([
        {
          messageId: command.messageId,
          runId: command.runId,
          provider: "other",
          model: "large",
          continuity: "required",
          attempts: 0,
        },
        { ...plain, provider: null, model: null, continuity: "auto", attempts: 0 },
      ]);
      expect(await session.messages()).toHaveLength(1);
    });

    it("C6 can be edited, reordered and withdrawn from", async () => {
      const { session, queued } = await busyWith("a", "b", "c", "d");
      const [a, b, c, d] = queued.map(({ messageId }) => messageId);
      if (a === undefined || b === undefined || c === undefined || d === undefined)
        throw new Error("four were sent");
      await session.perform({ type: "edit-queued", messageId: b }, contents(queued[1], "B"));
      expect(await textsOf(session)).toEqual(["a", "B", "c", "d"]);
      await session.perform({ type: "move-queued", messageId: d, position: 0 });
      expect(await textsOf(session)).toEqual(["d", "a", "B", "c"]);
      await session.perform({ type: "move-queued", messageId: a, position: 3 });
      expect(await textsOf(session)).toEqual(["d", "B", "c", "a"]);
      await session.perform({ type: "withdraw-queued", messageId: c });
      expect(await textsOf(session)).toEqual(["d", "B", "a"]);
      await session.send("e");
      expect(await textsOf(session)).toEqual(["d", "B", "a", "e"]);
      expect(await shared.store.readRun(queued[2]?.runId ?? "")).toMatchObject({
        status: "cancelled",
        stopReason: "withdrawn from the queue",
        endedAt: NOON + 9000,
      });
    });

    it("C6 is delivered in order; each message enters the history when its run starts", async () => {
      const { session, current, queued } = await busyWith("a", "b");
      await session.end(current);
      for (const { runId } of queued) {
        await session.perform({ type: "start-run", runId, start: HANDED });
        await session.perform({
          type: "end-run",
          runId,
          result: { outcome: "completed", stopReason: "end" },
          usage: null,
        });
      }
      expect(await textsOf(session)).toEqual([]);
      const messages = await session.messages();
      expect(messages.map(({ id, content, runId }) => ({ id, content, runId }))).toEqual([
        { id: current.messageId, content: textOf("First of all."), runId: current.runId },
        { id: queued[0]?.messageId, content: textOf("a"), runId: queued[0]?.runId },
        { id: queued[1]?.messageId, content: textOf("b"), runId: queued[1]?.runId },
      ]);
      expect(messages.map(({ seq }) => seq)).toEqual(
        messages.map(({ seq }) => seq).toSorted((a, b) => a - b),
      );
    });

    it("C6 puts an interrupting message first", async () => {
      const { session, queued } = await busyWith("a", "b");
      const urgent = sendCommand({ delivery: "interrupt" });
      await session.perform(urgent, { contents: { [urgent.messageId]: textOf("now") } });
      expect(await textsOf(session)).toEqual(["now", "a", "b"]);
      await session.perform({ type: "start-run", runId: urgent.runId, start: HANDED });
      expect(await textsOf(session)).toEqual(["a", "b"]);
      expect(queued).toHaveLength(2);
    });

    it("D2 leads a steered message into the current run: its own run and its queue entry are gone", async () => {
      const { session, current } = await busyWith("a");
      const steered = await session.send("turn left", { delivery: "steer" });
      expect((await session.stored()).session.queue.at(-1)).toMatchObject({ steer: "wanted" });
      const steer = {
        type: "steer-run",
        messageId: steered.messageId,
        runId: current.runId,
      } as const;
      await session.perform({ ...steer, outcome: "given" });
      expect((await session.stored()).session.queue.at(-1)).toMatchObject({ steer: "given" });
      await session.perform({ ...steer, outcome: "injected" });
      expect(await textsOf(session)).toEqual(["a"]);
      expect(await shared.store.readRun(steered.runId)).toBeNull();
      expect((await session.messages()).at(-1)).toMatchObject({
        id: steered.messageId,
        runId: current.runId,
        role: "user",
        content: { ...textOf("turn left"), injected: true },
      });
    });

    it("D2 keeps a message that an agent refused, and shows one whose outcome nobody knows", async () => {
      const { session, current } = await busyWith();
      const refused = await session.send("refused", { delivery: "steer" });
      const lost = await session.send("lost", { delivery: "steer" });
      const { runId } = current;
      for (const { messageId } of [refused, lost])
        await session.perform({ type: "steer-run", messageId, runId, outcome: "given" });
      await session.perform({
        type: "steer-run",
        messageId: refused.messageId,
        runId,
        outcome: "queued",
      });
      await session.end(current);
      expect(await textsOf(session)).toEqual(["refused"]);
      expect((await session.stored()).session.queue[0]).not.toHaveProperty("steer");
      expect((await session.messages()).at(-1)).toMatchObject({
        id: lost.messageId,
        runId,
        content: { ...textOf("lost"), steering: "unknown" },
      });
    });

    it("gets a message back whose run was cut before the agent received it, in front and once in the history", async () => {
      const { session, cut } = await cutOff();
      expect(await textsOf(session)).toEqual(["cut", "behind"]);
      expect(await shared.store.readRun(cut.runId)).toMatchObject({
        status: "queued",
        startedAt: null,
        attempts: 0,
      });
      await session.perform({ type: "start-run", runId: cut.runId, start: HANDED });
      expect(await textsOf(session)).toEqual(["behind"]);
      expect((await session.messages()).map(({ id, content }) => ({ id, content }))).toEqual([
        { id: cut.messageId, content: textOf("cut") },
      ]);
    });

    it("gets a message back whose run was cut between an answer and the agent, and completes its open messages", async () => {
      const session = await shared.begin();
      const sent = await session.run("cut");
      await session.claim();
      const id = `half-${session.id}`;
      await session.put(sent, opening(id, "I was "), {
        put: "text",
        messageId: id,
        text: "about to",
      });
      await session.answer(await session.suspend(sent));
      await session.perform({ type: "suspend", cause: "crash" });
      expect((await session.stored()).session.queue).toMatchObject([{ ...sent, attempts: 1 }]);
      expect(await session.messages()).toMatchObject([
        { id: sent.messageId },
        { id, content: textOf("I was about to"), complete: true },
      ]);
      const before = await session.messages();
      await session.perform({ type: "start-run", runId: sent.runId, start: HANDED });
      expect(await shared.store.readRun(sent.runId)).toMatchObject({
        status: "running",
        attempts: 2,
      });
      expect(await session.messages()).toEqual(before);
    });

    it.each(["archive", "withdraw-queued"] as const)(
      "does not call a message undelivered that an agent had before it came back: %s",
      async (type) => {
        const session = await shared.begin();
        const sent = await session.run("given");
        await session.answer(await session.suspend(sent));
        await session.perform({ type: "suspend", cause: "crash" });
        await session.perform(type === "archive" ? { type } : { type, messageId: sent.messageId });
        expect(await textsOf(session)).toEqual([]);
        expect((await session.messages()).map(({ content }) => content)).toEqual([textOf("given")]);
        expect(await shared.store.readRun(sent.runId)).toMatchObject({ status: "cancelled" });
      },
    );

    it("C6 edits a requeued message in the queue and in the history", async () => {
      const { session, cut } = await cutOff();
      const [before] = await session.messages();
      await session.perform(
        { type: "edit-queued", messageId: cut.messageId },
        contents(cut, "better"),
      );
      expect(await textsOf(session)).toEqual(["better", "behind"]);
      await session.perform({ type: "start-run", runId: cut.runId, start: HANDED });
      const edited = { ...before, content: textOf("better") };
      expect(await session.messages()).toEqual([edited]);
      const told = (await session.log()).flatMap((entry) =>
        entry.kind === "message" ? [entry.message] : [],
      );
      expect(told).toEqual([edited]);
      const found = async (search: string) =>
        (await shared.store.listSessions({ search, limit: 100 })).sessions.some(
          ({ id }) => id === session.id,
        );
      expect([await found("better"), await found("cut")]).toEqual([true, false]);
    });

    it("marks a withdrawn requeued message as undelivered in the history", async () => {
      const { session, cut } = await cutOff();
      await session.perform({ type: "withdraw-queued", messageId: cut.messageId });
      expect(await textsOf(session)).toEqual(["behind"]);
      expect((await session.messages()).map(({ content }) => content)).toEqual([
        { ...textOf("cut"), undelivered: true },
      ]);
    });

    it.each(["archive", "fail"] as const)(
      "is emptied by %s into the history, each message marked as never delivered",
      async (type) => {
        const { session, cut } = await cutOff();
        await session.perform(type === "fail" ? { type, reason: "broken" } : { type });
        expect(await textsOf(session)).toEqual([]);
        expect((await session.messages()).map(({ content }) => content)).toEqual([
          { ...textOf("cut"), undelivered: true },
          { ...textOf("behind"), undelivered: true },
        ]);
        expect(await shared.store.readRun(cut.runId)).toMatchObject({
          status: "cancelled",
          stopReason: "the session ended before it was delivered",
          endedAt: session.now,
        });
      },
    );

    /** The server crashed after the start of a run, before the agent received the message. */
    async function cutOff(): Promise<{ session: SessionDriver; cut: Sent }> {
      const session = await shared.begin();
      const cut = await session.send("cut", { start: { ...HANDED, handed: false } });
      await session.send("behind");
      await session.perform({ type: "suspend", cause: "crash" });
      return { session, cut };
    }
  });
}
