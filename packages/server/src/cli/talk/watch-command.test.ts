import { createClient, type StreamEvent } from "@holdfast/client";
import { EventEmitter } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { fakeTerminal, handClock } from "../terminal/testing/fake-terminal.ts";
import {
  asked,
  delta,
  message,
  ran,
  run,
  sent,
  session,
  shown,
  suspension,
  tool,
  wholeSession,
} from "../terminal/testing/samples.ts";
import { openScriptedServer } from "../terminal/testing/scripted-server.ts";
import { watchCommand, type WatchCommandOptions } from "./watch-command.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function watching({
  terminal: how = { isTerminal: false },
  whole = wholeSession({ title: "The \u001B[1mbuild" }),
  before = [],
  ...options
}: {
  terminal?: Parameters<typeof fakeTerminal>[0];
  whole?: ReturnType<typeof wholeSession>;
  before?: readonly StreamEvent[];
} & Partial<Omit<WatchCommandOptions, "terminal">> = {}) {
  const server = await openScriptedServer({ session: whole, sent: sent() });
  closing.push(server.close);
  server.happen(...before);
  const fake = fakeTerminal(how);
  const clock = handClock();
  const code = watchCommand({
    client: createClient({ url: server.url }),
    sessionId: "s1",
    terminal: fake.terminal,
    later: clock.later,
    ...options,
  });
  return { server, ...fake, ...clock, code };
}

const ARCHIVED = { id: null, type: "session", data: session({ status: "archived" }) } as const;
const said = shown(message({ content: { type: "text", text: "Hello" } }));
const user = shown(message({ id: "u", role: "user", content: { type: "text", text: "hi" } }));
const WATCHING = "Watching “The ␛[1mbuild”. Press Ctrl-C to stop.\n";

describe("watch", () => {
  it("shows new events until the session is archived", async () => {
    const { server, code, stdout, stderr } = await watching({ before: [user] });
    await server.listened();
    server.happen(
      shown(message({ content: { type: "text", text: "Hel" }, complete: false })),
      delta("a1", "lo"),
      shown(message({ id: "t", content: tool("completed") })),
      ran(run({ status: "completed", usage: { totalTokens: 7 } })),
      ARCHIVED,
    );
    expect(await code).toBe(0);
    expect(stdout()).toBe("Hello\n\n✓ npm test  execute\n— demo · 7 tokens\n");
    expect(stderr()).toBe(`${WATCHING}The session is archived.\n`);
  });

  it("shows all events after a number, up to the end of an archived session", async () => {
    const early = { ...ARCHIVED };
    const { code, stdout } = await watching({ since: 1, before: [user, early, said, ARCHIVED] });
    expect([await code, stdout()]).toEqual([0, "Hello\n"]);
    const all = await watching({ since: 0, before: [user, said, ARCHIVED] });
    expect([await all.code, all.stdout()]).toEqual([0, "> hi\n\nHello\n"]);
  });

  it("reports that an archived session has no new events", async () => {
    const { code, stderr } = await watching({ whole: wholeSession({ status: "archived" }) });
    expect([await code, stderr()]).toEqual([0, "The session is archived. It has no new events.\n"]);
  });

  it("ends when the session is deleted, and at once after Ctrl-C", async () => {
    const deleted = await watching();
    await deleted.server.listened();
    deleted.server.happen({ id: null, type: "deleted", data: { id: "s1", deleted: true } });
    expect(await deleted.code).toBe(0);
    expect(deleted.stderr()).toBe(`${WATCHING}The session was deleted.\n`);
    const stopped = await watching({ terminal: { isTerminal: true } });
    await stopped.server.listened();
    stopped.signal("SIGINT");
    expect([await stopped.code, stopped.listeners()]).toEqual([0, 0]);
    const terminated = await watching();
    await terminated.server.listened();
    terminated.signal("SIGTERM");
    expect(await terminated.code).toBe(143);
  });

  it("prints one event per line with --json", async () => {
    const { server, code, stdout, stderr } = await watching({ json: true });
    await server.listened();
    server.happen(said, asked(suspension()), ARCHIVED);
    expect(await code).toBe(0);
    const lines = stdout().split("\n");
    expect(lines.pop()).toBe("");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { jsonVersion: 1, ...said, id: "1" },
      { jsonVersion: 1, ...asked(suspension()), id: "2" },
      { jsonVersion: 1, ...ARCHIVED, id: "3" },
    ]);
    expect(stderr()).toBe("The session is archived.\n");
  });

  it("reads no faster than stdout is read (P6)", async () => {
    const wereFull: boolean[] = [];
    const stream = Object.assign(new EventEmitter(), {
      writableNeedDrain: false,
      write() {
        wereFull.push(stream.writableNeedDrain);
        stream.writableNeedDrain = true;
        setImmediate(() => {
          stream.writableNeedDrain = false;
          stream.emit("drain");
        });
      },
    });
    const server = await openScriptedServer({ session: wholeSession(), sent: sent() });
    closing.push(server.close);
    server.happen(user, said, said, said, ARCHIVED);
    const { terminal } = fakeTerminal({ isTerminal: false });
    const stdout = {
      ...terminal.stdout,
      stream: stream as unknown as typeof terminal.stdout.stream,
    };
    const client = createClient({ url: server.url });
    const watched = { ...terminal, stdout };
    await watchCommand({ client, sessionId: "s1", since: 0, json: true, terminal: watched });
    expect(wereFull).toEqual([false, false, false, false, false]);
  });

  it("asks the questions of the session on a terminal, and continues", async () => {
    const { server, code, shows, type, pass, signal } = await watching({
      terminal: { isTerminal: true },
      whole: wholeSession({ suspensions: [suspension()] }),
    });
    await shows("Press 1–2");
    await pass(500);
    type("1");
    await shows("→ Allow\n");
    await server.got("POST /resume");
    expect(server.asked).toEqual(['POST /resume {"suspensionId":"q1","answer":"yes"}']);
    await server.listened();
    server.happen(asked(suspension({ status: "answered", answer: { optionId: "yes" } })), said);
    await shows("Hello");
    signal("SIGINT");
    expect(await code).toBe(0);
  });

  it("only shows a question when there is no terminal, and continues", async () => {
    const { server, code, stderr, stdout } = await watching();
    await server.listened();
    server.happen(asked(suspension()), asked(suspension()), said, ARCHIVED);
    expect([await code, stdout()]).toEqual([0, "Hello\n"]);
    expect(stderr().match(/\? Run rm/gu)).toHaveLength(1);
  });

  it("reports a missing session", async () => {
    const server = await openScriptedServer({ session: wholeSession(), sent: sent() });
    closing.push(server.close);
    server.happen({ id: null, type: "deleted", data: { id: "s1", deleted: true } });
    const { terminal, stderr } = fakeTerminal();
    const client = createClient({ url: server.url });
    expect(await watchCommand({ client, sessionId: "s1", terminal })).toBe(1);
    expect(stderr()).toBe(
      "holdfast: No: session_not_found. Run `holdfast list` to see all sessions.\n",
    );
  });

  it("reconnects, and gives up when the server does not come back", async () => {
    const { server, code, shows, pass, stdout } = await watching({ giveUpMs: 777 });
    await server.listened();
    server.happen(said);
    await shows("Hello");
    server.cut();
    await shows("Connected again.");
    server.cut({ away: true });
    await shows("Reconnecting…");
    await pass(777);
    expect([await code, stdout()]).toEqual([2, "Hello\n"]);
  });
});
