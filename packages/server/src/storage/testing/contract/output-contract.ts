import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Message } from "../../../domain/message.ts";
import type { RunResult } from "../../../domain/run.ts";
import type { OutputItem } from "../../ports/transcript-store.ts";
import { openRaw } from "../raw-database.ts";
import {
  driveSession,
  growingText,
  opening,
  textOf,
  type Sent,
  type SessionDriver,
} from "../session-driver.ts";
import type { SharedStore } from "./shared-store.ts";

/** The output of an agent, from its first text to the end of the run. */
export function outputContract(shared: SharedStore): void {
  describe("output of an agent", () => {
    async function atWork(): Promise<{ session: SessionDriver; sent: Sent; id: string }> {
      const session = await shared.begin();
      const sent = await session.run("Tell me.");
      await session.claim();
      return { session, sent, id: `agent-${session.id}` };
    }

    /** Number of log entries about messages, by kind. */
    async function rowsOf(session: SessionDriver): Promise<readonly unknown[]> {
      const raw = await openRaw(shared.location);
      const rows = await raw.all(
        `select "kind", "messageId" from "SessionEvent" where "sessionId" = '${session.id}' and "kind" <> 'event' order by "seq"`,
      );
      await raw.close();
      return rows.map((row) => ({ ...row }));
    }

    async function answers(session: SessionDriver): Promise<readonly Message[]> {
      return (await session.messages()).filter(({ role }) => role !== "user");
    }

    it("A3, ruling 19 is one message that grows: its text is `partial` as it comes, and says that it is not at the end", async () => {
      const { session, sent, id } = await atWork();
      const { lastSeq } = await session.stored();
      const whole = (text: string, complete: boolean): Message => ({
        id,
        sessionId: session.id,
        runId: sent.runId,
        seq: lastSeq + 1,
        role: "agent",
        content: complete ? textOf(text) : growingText(text),
        complete,
        at: session.now,
      });

      expect(await session.put(sent, opening(id))).toEqual({
        ok: true,
        firstSeq: lastSeq + 1,
        lastSeq: lastSeq + 1,
        at: session.now,
      });
      const begun = whole("", false);
      expect(await answers(session)).toEqual([begun]);
      await session.put(sent, say(id, "Hel"), say(id, "lo"));
      expect(await answers(session)).toEqual([{ ...begun, content: growingText("Hello") }]);
      await session.put(sent, say(id, ", world"));
      expect(await answers(session)).toEqual([{ ...begun, content: growingText("Hello, world") }]);
      expect(await session.log(lastSeq)).toMatchObject([
        { kind: "message", seq: lastSeq + 1, message: begun },
        { kind: "delta", seq: lastSeq + 2, messageId: id, text: "Hello" },
        { kind: "delta", seq: lastSeq + 3, messageId: id, text: ", world" },
      ]);

      await session.put(sent, { put: "end", messageId: id });
      const ended = { ...begun, content: textOf("Hello, world"), complete: true };
      expect(await answers(session)).toEqual([ended]);
      expect(await session.log(lastSeq)).toEqual([
        { kind: "message", seq: lastSeq + 4, at: session.now, message: ended },
      ]);
    });

    it.each<RunResult>([
      { outcome: "completed", stopReason: "end_turn" },
      { outcome: "failed", error: { code: "agent_exited", message: "it ended", detail: null } },
      { outcome: "cancelled", reason: "asked to" },
      { outcome: "interrupted", reason: "the server stopped" },
    ])("A3 ends open tool calls as unfinished with a run that is $outcome", async (result) => {
      const { session, sent, id } = await atWork();
      const call = (status: string) => ({ type: "tool", tool: "shell", args: {}, status });
      const put = (name: string, status: string): OutputItem => ({
        put: "message",
        message: { id: `${id}-${name}`, role: "agent", content: call(status) },
        complete: status === "completed",
      });
      await session.put(sent, put("a", "pending"), put("b", "in_progress"), put("c", "completed"));
      const { lastSeq } = await session.stored();
      await session.end(sent, result);
      expect((await answers(session)).map(({ content, complete }) => [content, complete])).toEqual([
        [call("unfinished"), true],
        [call("unfinished"), true],
        [call("completed"), true],
      ]);
      // Readers receive them again.
      const news = (await session.log(lastSeq)).filter(({ kind }) => kind === "message");
      expect(news).toMatchObject([{ message: { id: `${id}-a` } }, { message: { id: `${id}-b` } }]);
    });

    it("leaves one log entry for each complete message", async () => {
      const { session, sent, id } = await atWork();
      const ids = [`${id}-1`, `${id}-2`] as const;
      await session.put(
        sent,
        opening(ids[0], "a"),
        opening(ids[1], "b"),
        say(ids[0], "1"),
        say(ids[1], "2"),
      );
      for (let n = 0; n < 10; n += 1) await session.put(sent, say(ids[0], "."), say(ids[1], "!"));
      expect(await rowsOf(session)).toHaveLength(1 + 2 + 2 + 20);
      await session.put(sent, { put: "end", messageId: ids[1] }, say(ids[0], "c"), {
        put: "end",
        messageId: ids[0],
      });
      expect(await rowsOf(session)).toEqual(
        [sent.messageId, ids[1], ids[0]].map((messageId) => ({ kind: "message", messageId })),
      );
      expect((await answers(session)).map(({ content }) => content)).toEqual([
        textOf("a1..........c"),
        textOf("b2!!!!!!!!!!"),
      ]);
    });

    it("A3 can be replaced, as for the progress and the result of a tool call", async () => {
      const { session, sent, id } = await atWork();
      const tool = (result: string | null) => ({
        type: "tool",
        tool: "grep",
        args: { q: ["a", 1] },
        result,
      });
      const message = { id, role: "system", content: tool(null) } as const;
      await session.put(sent, { put: "message", message, complete: false });
      await session.put(sent, {
        put: "content",
        messageId: id,
        content: tool("1 of 2"),
        complete: false,
      });
      expect(await answers(session)).toMatchObject([
        { id, content: tool("1 of 2"), complete: false },
      ]);
      await session.put(sent, {
        put: "content",
        messageId: id,
        content: tool("2 of 2"),
        complete: true,
      });
      expect(await answers(session)).toMatchObject([
        { id, content: tool("2 of 2"), complete: true },
      ]);
      expect(await rowsOf(session)).toEqual([
        { kind: "message", messageId: sent.messageId },
        { kind: "message", messageId: id },
      ]);
    });

    it("that replaces text drops the earlier deltas, and can grow afterwards", async () => {
      const { session, sent, id } = await atWork();
      await session.put(sent, opening(id, "Once "), say(id, "upon"));
      await session.put(sent, {
        put: "content",
        messageId: id,
        content: textOf("Then "),
        complete: false,
      });
      await session.put(sent, say(id, "there "), say(id, "was"));
      expect(await answers(session)).toMatchObject([
        { content: growingText("Then there was"), complete: false },
      ]);
      await session.put(sent, { put: "end", messageId: id });
      expect(await answers(session)).toMatchObject([
        { content: textOf("Then there was"), complete: true },
      ]);
    });

    it("may begin, extend and end a message in one call", async () => {
      const { session, sent, id } = await atWork();
      const { lastSeq } = await session.stored();
      await session.put(sent, opening(id), say(id, "At "), say(id, "once."), {
        put: "end",
        messageId: id,
      });
      expect(await answers(session)).toMatchObject([
        { content: textOf("At once."), complete: true },
      ]);
      expect(await session.log(lastSeq)).toMatchObject([
        { kind: "message", message: { id, complete: true } },
      ]);
    });

    it("C4 stays and becomes complete when its run ends first", async () => {
      for (const result of [
        { outcome: "failed", error: { code: "agent_exited", message: "gone", detail: null } },
        { outcome: "cancelled", reason: "asked" },
      ] as const) {
        const { session, sent, id } = await atWork();
        await session.put(
          sent,
          opening(`${id}-1`),
          say(`${id}-1`, "I was ab"),
          opening(`${id}-2`, "tool"),
        );
        await session.end(sent, result);
        expect(await answers(session)).toMatchObject([
          { id: `${id}-1`, content: textOf("I was ab"), complete: true },
          { id: `${id}-2`, content: textOf("tool"), complete: true },
        ]);
        expect(await rowsOf(session)).toEqual(
          [sent.messageId, `${id}-1`, `${id}-2`].map((messageId) => ({
            kind: "message",
            messageId,
          })),
        );
      }
    });

    it("after the end of its run is refused, and nothing is written", async () => {
      const { session, sent, id } = await atWork();
      await session.put(sent, opening(id, "said"));
      await session.end(sent);
      const before = await unchangeable(session);
      const late = { ok: false, refused: "run_not_current" };
      expect(await session.put(sent, opening(`${id}-late`))).toEqual(late);
      expect(await session.put(sent, say(id, "late"))).toEqual(late);
      expect(await session.put({ ...sent, runId: randomUUID() }, opening(`${id}-late`))).toEqual(
        late,
      );
      const next = await session.run("Next.");
      expect(await session.put(sent, opening(`${id}-late`))).toEqual(late);
      await session.end(next);
      expect((await unchangeable(session)).messages.slice(0, before.messages.length)).toEqual(
        before.messages,
      );
      expect(await answers(session)).toMatchObject([{ content: textOf("said") }]);
    });

    it("for a missing or complete message is refused as a whole", async () => {
      const { session, sent, id } = await atWork();
      const other = await atWork();
      await other.session.put(other.sent, opening(other.id, "theirs"));
      await session.put(sent, opening(`${id}-open`), opening(`${id}-done`), {
        put: "end",
        messageId: `${id}-done`,
      });
      const before = await unchangeable(session);
      const fine = [opening(`${id}-fine`), say(`${id}-open`, "fine")] as const;
      const wrongs: readonly (readonly OutputItem[])[] = [
        [say(randomUUID(), "?")],
        [say(other.id, "not mine")],
        [say(`${id}-done`, "more")],
        [{ put: "end", messageId: `${id}-done` }],
        [{ put: "content", messageId: sent.messageId, content: textOf("forged"), complete: true }],
        [say(`${id}-later`, "too soon"), opening(`${id}-later`)],
        [{ put: "end", messageId: `${id}-open` }, say(`${id}-open`, "after the end")],
        [
          {
            put: "message",
            message: { id: `${id}-x`, role: "agent", content: textOf("") },
            complete: true,
          },
          say(`${id}-x`, "!"),
        ],
      ];
      for (const wrong of wrongs) {
        expect(await session.put(sent, ...fine, ...wrong)).toEqual({
          ok: false,
          refused: "message_not_found",
        });
      }
      expect(await unchangeable(session)).toEqual(before);
      expect(await answers(other.session)).toMatchObject([{ content: growingText("theirs") }]);
    });

    it("under an invalid fence is refused, and nothing is written", async () => {
      const { session, sent, id } = await atWork();
      const { owner, epoch } = await session.stored();
      const before = await unchangeable(session);
      const output = {
        sessionId: session.id,
        runId: sent.runId,
        at: session.now,
        items: [opening(id)],
        durable: true,
      };
      for (const fence of [
        { node: "node-1", epoch: epoch - 1 },
        { node: "node-1", epoch: epoch + 1 },
        { node: "node-2", epoch },
      ]) {
        expect(await shared.store.append({ ...output, fence })).toEqual({
          ok: false,
          refused: "fenced",
        });
      }
      expect(owner).toBe("node-1");
      const gone = { ...output, sessionId: randomUUID(), fence: { node: "node-1", epoch } };
      expect(await shared.store.append(gone)).toEqual({ ok: false, refused: "fenced" });
      expect(await unchangeable(session)).toEqual(before);
    });

    it("is still accepted while the run waits for an answer", async () => {
      const { session, sent, id } = await atWork();
      await session.suspend(sent);
      expect(await session.put(sent, opening(id, "Meanwhile"))).toMatchObject({ ok: true });
      expect((await session.stored()).session.standing).toMatchObject({
        activity: { state: "suspended" },
      });
    });

    it("C5 survives reopening, including the deltas of an incomplete message", async () => {
      const { session, sent, id } = await atWork();
      await session.put(
        sent,
        opening(`${id}-1`, "whole"),
        { put: "end", messageId: `${id}-1` },
        opening(`${id}-2`),
      );
      for (const letter of "checkpoint") await session.put(sent, say(`${id}-2`, letter));
      const before = await unchangeable(session);
      const { epoch } = await session.stored();

      const reopened = await shared.reopen();
      const again = driveSession(reopened, {
        ...session,
        now: session.now,
        fence: { node: "node-1", epoch },
      });

      expect(await unchangeable(again)).toEqual(before);
      expect((await answers(again)).map(({ content }) => content)).toEqual([
        textOf("whole"),
        growingText("checkpoint"),
      ]);
      await again.put(sent, say(`${id}-2`, "!"), { put: "end", messageId: `${id}-2` });
      expect((await answers(again)).at(-1)).toMatchObject({
        content: textOf("checkpoint!"),
        complete: true,
      });
    });

    async function unchangeable(session: SessionDriver) {
      return {
        stored: await session.stored(),
        messages: await session.messages(),
        log: await session.log(),
      };
    }
  });
}

function say(messageId: string, text: string): OutputItem {
  return { put: "text", messageId, text };
}
