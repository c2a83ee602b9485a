import { describe, expect, it } from "vitest";
import { asked, ran, run, sent, suspension, wholeSession } from "../terminal/testing/samples.ts";
import { problem } from "../terminal/testing/scripted-server.ts";
import {
  answerAndEnd,
  COMPLETED,
  sending,
  text,
  type Sending,
} from "../terminal/testing/send-rig.ts";

describe("a question of a run", () => {
  const closed = (more: Parameters<typeof suspension>[0] = {}) =>
    asked(suspension({ status: "answered", answer: { optionId: "yes" }, ...more }));
  const asking = async (more: Parameters<typeof sending>[0] = {}) => {
    const all = await sending({ terminal: { isTerminal: true }, ...more });
    await all.server.listened();
    all.server.happen(ran(run()), asked(suspension()));
    await all.shows("Press 1–2; Esc or n: Reject\n");
    return all;
  };
  const typed = async ({ pass, type }: Sending, keys: string): Promise<void> => {
    await pass(500);
    type(keys);
  };

  it("is answered with a key, and the run continues (C3)", async () => {
    const all = await asking();
    await typed(all, "1");
    await all.server.got("POST /resume");
    all.server.happen(closed());
    await answerAndEnd(all.server);
    expect(await all.code).toBe(0);
    expect(all.server.asked.at(-1)).toBe('POST /resume {"suspensionId":"q1","answer":"yes"}');
    expect(all.screen()).not.toContain("elsewhere");
    expect(all.isRaw()).toBe(false);
  });

  it("is reported as answered elsewhere, and the run continues", async () => {
    const all = await asking();
    all.server.happen(closed({ answeredBy: "ada\u001B[1m" }));
    await all.shows("→ answered elsewhere by ada␛[1m: Allow\n");
    expect(all.isRaw()).toBe(false);
    await answerAndEnd(all.server);
    expect([await all.code, all.stdout()]).toEqual([0, "Hello\n"]);
  });

  it("is reported as answered elsewhere also when our answer came too late", async () => {
    const body = problem("suspension_answered", 409);
    const all = await asking({ server: { answers: { "POST /resume": [{ status: 409, body }] } } });
    await typed(all, "2");
    await all.server.got("POST /resume");
    all.server.happen(closed());
    await all.shows("→ answered elsewhere: Allow\n");
    await answerAndEnd(all.server);
    expect(await all.code).toBe(0);
  });

  it("is no longer asked when the agent withdraws it", async () => {
    const all = await asking();
    all.server.happen(closed({ status: "withdrawn", answer: null }));
    await all.shows("→ no longer asked: withdrawn\n");
    await answerAndEnd(all.server);
    expect(await all.code).toBe(0);
  });

  it("holds back other output until it is answered", async () => {
    const all = await asking();
    all.server.happen(text("meanwhile"));
    await typed(all, "1");
    await all.server.got("POST /resume");
    expect(all.stdout()).toBe("");
    all.server.happen(closed(), ran(COMPLETED));
    await all.code;
    expect(all.stdout()).toBe("meanwhile\n");
  });

  it("is asked after the one before", async () => {
    const all = await asking();
    all.server.happen(
      asked(suspension({ id: "q2", kind: "question", request: { title: "Which?" } })),
    );
    await typed(all, "2");
    await all.server.got("POST /resume");
    all.server.happen(closed({ answer: { optionId: "no" } }));
    await all.shows("? Which?\n");
    await typed(all, "the first\r");
    await all.server.got('POST /resume {"suspensionId":"q2"');
    all.server.happen(closed({ id: "q2", kind: "question", answer: "the first" }));
    await answerAndEnd(all.server);
    expect(await all.code).toBe(0);
    expect(all.server.asked.slice(1)).toEqual([
      'POST /resume {"suspensionId":"q1","answer":"no"}',
      'POST /resume {"suspensionId":"q2","answer":"the first"}',
    ]);
  });

  it("is answered again after a lost connection, until the server has the answer", async () => {
    const all = await asking({ server: { answers: { "POST /resume": ["drop"] } } });
    await typed(all, "1");
    await all.pass(200);
    all.server.happen(closed());
    await answerAndEnd(all.server);
    expect(await all.code).toBe(0);
  });

  it("is shown with the commands that answer it when there is no terminal, and ends with 3", async () => {
    const { server, code, stdout, stderr } = await sending();
    await server.listened();
    server.happen(text("I need to."), ran(run({ status: "suspended" })), asked(suspension()));
    expect(await code).toBe(3);
    expect(stdout()).toBe("I need to.\n");
    expect(stderr()).toBe(
      [
        "",
        "? Run rm",
        "  execute",
        "│ $ rm -r build",
        "  1 Allow",
        "  2 Reject",
        "To answer:",
        "  holdfast resume s1 --suspension q1 --answer yes",
        "  holdfast resume s1 --suspension q1 --answer no",
        "",
      ].join("\n"),
    );
  });

  it("appears as the status of the run in JSON", async () => {
    const { server, code, stdout } = await sending({ json: true });
    await server.listened();
    server.happen(ran(run()), asked(suspension()));
    expect(await code).toBe(3);
    expect(JSON.parse(stdout())).toMatchObject({ run: { status: "suspended" }, text: "" });
  });

  it.each(["event", "tool_result", "rate_limit"] as const)(
    "ends with 3 for %s, which cannot be answered at a terminal",
    async (kind) => {
      const { server, code, stderr } = await sending({ terminal: { isTerminal: true } });
      await server.listened();
      server.happen(asked(suspension({ kind, request: { title: "something" } })));
      expect(await code).toBe(3);
      expect(stderr()).toContain("│ something\n");
    },
  );

  it("is asked for a budget, with its options", async () => {
    const all = await sending({ terminal: { isTerminal: true } });
    await all.server.listened();
    const options = [
      { optionId: "go_on", name: "Go on", kind: "allow_once" },
      { optionId: "stop", name: "Stop", kind: "reject_once" },
    ];
    all.server.happen(
      asked(suspension({ kind: "budget", request: { title: "Used up.", options } })),
    );
    await all.shows("Press 1–2; Esc or n: Stop\n");
    await typed(all, "1");
    await all.server.got("POST /resume");
    all.server.happen(closed({ kind: "budget", answer: { optionId: "go_on" } }));
    await answerAndEnd(all.server);
    expect(await all.code).toBe(0);
  });

  it("is also asked for the run before", async () => {
    const { code, stderr } = await sending({
      server: {
        session: wholeSession({ suspensions: [suspension()] }),
        sent: sent({ queued: true, position: 0, waitsFor: "A run waits for an answer." }),
      },
    });
    expect(await code).toBe(3);
    expect(stderr()).toContain("--suspension q1 --answer yes\n");
  });

  it("is not asked after the message was read from stdin", async () => {
    const { server, code, terminal } = await sending({ terminal: { isTerminal: true }, text: "-" });
    (terminal.stdin as unknown as NodeJS.WritableStream).end("hello");
    await server.listened();
    server.happen(asked(suspension()));
    expect(await code).toBe(3);
  });

  it("is left open by Ctrl-D", async () => {
    const all = await asking();
    await typed(all, "\u0004");
    expect(await all.code).toBe(3);
    expect(all.stderr()).toContain("To answer:\n");
    expect(all.isRaw()).toBe(false);
  });
});
