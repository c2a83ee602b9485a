import { createClient } from "@holdfast/client";
import { describe, expect, it } from "vitest";
import { sendCommand } from "./send-command.ts";
import { fakeTerminal } from "../terminal/testing/fake-terminal.ts";
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
} from "../terminal/testing/samples.ts";
import { problem } from "../terminal/testing/scripted-server.ts";
import { answerAndEnd, COMPLETED, sending, text, USED } from "../terminal/testing/send-rig.ts";

describe("send", () => {
  it("writes the answer to stdout and the rest to stderr, and ends with 0", async () => {
    const { server, code, stdout, stderr, listeners } = await sending();
    await answerAndEnd(server);
    expect(await code).toBe(0);
    expect([stdout(), stderr()]).toEqual(["Hello\n", USED]);
    expect(server.asked).toEqual(['POST /messages {"text":"hello"}']);
    expect(listeners()).toBe(0);
  });

  it("sends the options of the command", async () => {
    const { server, code } = await sending({
      provider: "claude",
      model: "m",
      delivery: "interrupt",
      continuity: "off",
    });
    await answerAndEnd(server);
    await code;
    expect(server.asked).toEqual([
      'POST /messages {"text":"hello","provider":"claude","model":"m","delivery":"interrupt","continuity":"off"}',
    ]);
  });

  it("repeats a message without an answer under the same key, so that it runs once (P2)", async () => {
    const { server, code, pass, stderr } = await sending({
      server: { answers: { "POST /messages": ["drop", "drop"] } },
    });
    await pass(200);
    await pass(400);
    await answerAndEnd(server);
    expect(await code).toBe(0);
    expect([server.asked.length, server.keys.size]).toEqual([3, 1]);
    expect(stderr()).toBe(`Reconnecting…\n${USED}`);
  });

  it.each(["failed", "cancelled", "interrupted"] as const)(
    "ends with 2 when the run %s",
    async (status) => {
      const { server, code, stderr } = await sending();
      await server.listened();
      const notice = message({
        id: "n",
        role: "system",
        content: { type: "text", text: `It ${status}.`, notice: `run_${status}` },
      });
      server.happen(shown(notice), ran(run({ status, provider: null, startedAt: null })));
      expect([await code, stderr()]).toEqual([2, `— It ${status}.\n`]);
    },
  );

  it("loses nothing when the end of the run arrives before its last text", async () => {
    const { server, code, stdout } = await sending();
    await server.listened();
    server.happen(text("Hel", false), ran(run()));
    server.happen(delta("a1", "lo"));
    await Promise.resolve();
    // The current state: the run has ended, and its text comes later in the log.
    server.happen(ran(COMPLETED), text("Hello, world"));
    await code;
    expect(stdout()).toBe("Hello, world\n");
  });

  it("shows nothing of an earlier run and says that the message is queued", async () => {
    const { server, code, stdout, stderr } = await sending({
      server: { sent: sent({ queued: true, position: 0, waitsFor: "A run is under way." }) },
    });
    await server.listened();
    server.happen(
      shown(message({ id: "x", runId: "r0" })),
      ran(run({ id: "r0", status: "completed" })),
    );
    await answerAndEnd(server);
    await code;
    expect([stdout(), stderr()]).toEqual(["Hello\n", `— Queued: A run is under way.\n${USED}`]);
  });

  it.each([
    ["injected", null, "— Injected: the running agent took the message.\n"],
    ["queued", "A run is under way.", "— Queued: A run is under way.\n"],
    ["unknown", "Nobody knows.", "— Unknown: Nobody knows.\n"],
  ] as const)("D2 says whether a message that steers was %s", async (steering, waitsFor, line) => {
    const reply = sent({ steering, waitsFor, injected: steering === "injected" });
    const server = { sent: reply };
    const plain = await sending({ delivery: "steer", detach: true, server });
    expect([await plain.code, plain.stderr()]).toEqual([0, line]);
    expect(plain.server.asked).toEqual(['POST /messages {"text":"hello","delivery":"steer"}']);
    const json = await sending({ delivery: "steer", detach: true, json: true, server });
    await json.code;
    expect(JSON.parse(json.stdout())).toMatchObject({ steering, messageId: "m1" });
  });

  it("reads the message from stdin", async () => {
    const { server, code, terminal } = await sending({ text: "-" });
    (terminal.stdin as unknown as NodeJS.WritableStream).end("from\nelsewhere\n");
    await answerAndEnd(server);
    await code;
    expect(server.asked).toEqual(['POST /messages {"text":"from\\nelsewhere\\n"}']);
  });

  it("refuses an empty message", async () => {
    const { code, stderr, server } = await sending({ text: " \n" });
    expect([await code, stderr(), server.asked]).toEqual([
      64,
      "holdfast: The message must not be empty.\n",
      [],
    ]);
  });

  it("returns at once with the IDs when detached", async () => {
    const { code, stdout } = await sending({ detach: true });
    expect([await code, stdout()]).toEqual([0, "session s1\nmessage m1\nrun r1\n"]);
  });

  it("prints one JSON object at the end", async () => {
    const { server, code, stdout } = await sending({ json: true });
    await server.listened();
    server.happen(
      text("One\u009B."),
      shown(message({ id: "t", seq: 4, content: tool("completed") })),
      shown(message({ id: "b", seq: 5, content: { type: "text", text: "Two." } })),
      ran(COMPLETED),
    );
    expect(await code).toBe(0);
    expect(stdout()).toMatch(/^\{[^\u009B\n]*\}\n$/u);
    expect(JSON.parse(stdout())).toEqual({
      jsonVersion: 1,
      sessionId: "s1",
      messageId: "m1",
      run: {
        id: "r1",
        status: "completed",
        provider: "demo",
        model: null,
        attempts: 1,
        stopReason: "end_turn",
        error: null,
        usage: COMPLETED.usage,
        memory: null,
        queuedAt: COMPLETED.queuedAt,
        startedAt: COMPLETED.startedAt,
        endedAt: COMPLETED.endedAt,
      },
      text: "One\u009B.\n\nTwo.",
    });
  });

  it.each([
    [404, "session_not_found", 1],
    [409, "session_archived", 2],
    [409, "session_busy", 2],
  ])("says in one line what a %i of the server means (%s)", async (status, name, expected) => {
    const { code, stderr, stdout } = await sending({
      server: { answers: { "POST /messages": [{ status, body: problem(name, status) }] } },
    });
    expect([await code, stdout()]).toEqual([expected, ""]);
    expect(stderr()).toMatch(
      new RegExp(`^holdfast: No: ${name}\\. .*holdfast|--delivery.*\\n$`, "u"),
    );
    expect(stderr().trim().split("\n")).toHaveLength(1);
  });

  it("reports that no server answers", async () => {
    const { terminal, stderr } = fakeTerminal({ isTerminal: false });
    const client = createClient({ url: "http://127.0.0.1:1" });
    expect(await sendCommand({ client, sessionId: "s1", text: "hello", terminal })).toBe(2);
    expect(stderr()).toMatch(
      /^holdfast: No server answers at http:\/\/127\.0\.0\.1:1\. Start one with: holdfast up\n$/u,
    );
  });

  it("reports that the session was deleted", async () => {
    const { server, code, stderr } = await sending();
    await server.listened();
    server.happen({ id: null, type: "deleted", data: { id: "s1", deleted: true } });
    expect([await code, stderr()]).toEqual([2, "— The session was deleted.\n"]);
  });
});

describe("a connection that breaks", () => {
  it("is reopened without lost or repeated text (P4, C7)", async () => {
    const { server, code, stdout, stderr, shows } = await sending();
    await server.listened();
    server.happen(text("Hel", false), delta("a1", "lo "));
    await shows("lo ");
    server.cut();
    await shows("Reconnecting…\n");
    await shows("Connected again.\n");
    server.happen(delta("a1", "you"), text("Hello you."), ran(COMPLETED));
    expect(await code).toBe(0);
    expect([stdout(), stderr()]).toEqual([
      "Hello you.\n",
      `Reconnecting…\nConnected again.\n${USED}`,
    ]);
  });

  it("ends the command after a while and shows how to continue", async () => {
    const { server, code, stderr, pass, waiting } = await sending({ giveUpMs: 777 });
    await server.listened();
    server.cut({ away: true });
    await pass(777);
    expect([await code, stderr(), waiting()]).toEqual([
      2,
      "Reconnecting…\nThe server did not come back. To continue later: holdfast watch s1\n",
      [],
    ]);
  });
});

describe("Ctrl-C", () => {
  const detached = "Detached; the run continues.";
  const follow = "Follow it with: holdfast watch s1";

  it("detaches, and the run continues", async () => {
    const { server, code, stderr, signal, pass, waiting } = await sending({
      terminal: { isTerminal: true },
    });
    await server.listened();
    signal("SIGINT");
    await pass(2_000);
    expect([await code, stderr()]).toEqual([
      130,
      `${detached} Press Ctrl-C again to cancel it. ${follow}\n`,
    ]);
    expect([server.asked.length, waiting()]).toEqual([1, []]);
  });

  it("pressed again cancels the run", async () => {
    const { server, code, shows, signal, stderr } = await sending({
      terminal: { isTerminal: true },
    });
    await server.listened();
    signal("SIGINT");
    await shows("Ctrl-C again");
    signal("SIGINT");
    expect(await code).toBe(2);
    expect(server.asked[1]).toBe('POST /cancel {"reason":"from the terminal"}');
    expect(stderr()).toMatch(/Cancelled\.\n$/u);
  });

  it("pressed again withdraws a queued message and does not cancel the other run", async () => {
    const { server, code, shows, signal } = await sending({
      terminal: { isTerminal: true },
      server: { sent: sent({ queued: true, run: run({ status: "queued" }) }) },
    });
    await server.listened();
    signal("SIGINT");
    await shows("Ctrl-C again");
    signal("SIGINT");
    expect(await code).toBe(2);
    expect(server.asked.slice(1)).toEqual(["DELETE /queue/m1 "]);
  });

  it("pressed again cancels a run that has started in the meantime, and reports a failure", async () => {
    const { server, code, shows, signal, stderr } = await sending({
      terminal: { isTerminal: true },
      server: {
        sent: sent({ queued: true, run: run({ status: "queued" }) }),
        answers: {
          "DELETE /queue/m1": [{ status: 409, body: problem("message_not_queued", 409) }],
          "POST /cancel": [{ status: 500, body: problem("internal_error", 500) }],
        },
      },
    });
    await server.listened();
    signal("SIGINT");
    await shows("Ctrl-C again");
    signal("SIGINT");
    expect([await code, server.asked.length]).toEqual([2, 3]);
    expect(stderr()).toMatch(
      /Could not cancel the run \(No: internal_error\.\)\. To try again: holdfast cancel s1\n$/u,
    );
  });

  it("also detaches as a key during a question, and ends raw mode", async () => {
    const { server, code, shows, type, isRaw, pass } = await sending({
      terminal: { isTerminal: true },
    });
    await server.listened();
    server.happen(asked(suspension()));
    await shows("Press 1–2");
    type("\u0003");
    await shows(detached);
    expect(isRaw()).toBe(false);
    await pass(2_000);
    expect(await code).toBe(130);
  });

  it("ends at once without a terminal, like SIGTERM", async () => {
    const script = await sending();
    await script.server.listened();
    script.signal("SIGINT");
    expect([await script.code, script.stderr()]).toEqual([130, `${detached} ${follow}\n`]);
    const person = await sending({ terminal: { isTerminal: true } });
    await person.server.listened();
    person.signal("SIGTERM");
    expect([await person.code, person.stderr()]).toEqual([143, `${detached} ${follow}\n`]);
  });

  it("also ends the command before the message is sent", async () => {
    const { code, signal, server, terminal } = await sending({ text: "-" });
    signal("SIGINT");
    expect([await code, server.asked]).toEqual([130, []]);
    expect(terminal.stdin.readable).toBe(false);
  });

  it("does not matter when stdout is closed", async () => {
    const { server, code, terminal } = await sending();
    await server.listened();
    terminal.stdout.stream.emit("error", new Error("EPIPE"));
    expect(await code).toBe(129);
  });
});

describe("a session that is busy elsewhere", () => {
  it("does not end the command", async () => {
    const { server, code } = await sending();
    await server.listened();
    server.happen({ id: null, type: "session", data: session({ title: "New" }) });
    await answerAndEnd(server);
    expect(await code).toBe(0);
  });
});
