import type { Suspension } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { asked, ran, run, suspension } from "../../terminal/testing/samples.ts";
import { problem } from "../../terminal/testing/scripted-server.ts";
import { answerAndEnd, sending, type Sending } from "../../terminal/testing/send-rig.ts";

const FORM = suspension({
  kind: "elicitation",
  request: {
    title: "Which database?",
    message: "Which database?\nIt is for the tests.",
    mode: "form",
    schema: {
      type: "object",
      properties: {
        db: { type: "string", enum: ["SQLite", "PostgreSQL"] },
        name: { type: "string" },
        key: { type: "string", _meta: { codex: { isSecret: true } } },
      },
      required: ["db"],
    },
  },
});
const PAGE = suspension({
  kind: "elicitation",
  request: {
    title: "Sign in",
    message: "Sign in",
    mode: "url",
    url: "https://login.example.com/a/very/long/path?with=a&query=that&is=longer-than-a-line-of-the-terminal",
    elicitationId: "e1",
  },
});
const closed = (one: Suspension, answer: unknown) =>
  asked({ ...one, status: "answered", answer, answeredBy: "browser" });

async function asking(one: Suspension, more: Parameters<typeof sending>[0] = {}): Promise<Sending> {
  const all = await sending({ terminal: { isTerminal: true }, ...more });
  await all.server.listened();
  all.server.happen(ran(run()), asked(one));
  return all;
}

describe("a form of a run", () => {
  it("is filled in at the terminal, and the run continues (D1)", async () => {
    const all = await asking(FORM);
    await all.shows("? Which database?\n  It is for the tests.\n");
    await all.pass(500);
    await all.shows("db (1 of 3, required)\n");
    all.type("3\r");
    await all.shows("Type a number from 1 to 2.\n");
    all.type("2\rmine\rk-123\r");
    await all.shows("Your answer\n  db: PostgreSQL\n  name: mine\n  key: (not shown)\n");
    all.type("y\r");
    await all.server.got("POST /resume");
    const answer = { action: "accept", content: { db: "PostgreSQL", name: "mine", key: "k-123" } };
    expect(all.server.asked.at(-1)).toBe(
      `POST /resume ${JSON.stringify({ suspensionId: "q1", answer })}`,
    );
    all.server.happen(closed(FORM, answer));
    await answerAndEnd(all.server);
    expect(await all.code).toBe(0);
    expect(all.screen()).toContain("→ db: PostgreSQL; name: mine; key: (not shown)\n");
    expect(all.screen()).not.toContain("elsewhere");
    expect(all.screen()).not.toContain("k-123");
    expect(all.isRaw()).toBe(false);
  });

  it("is asked again when the server refuses a field, with the input so far (D1)", async () => {
    const errors = [{ field: "name", message: "must match the pattern ^a$" }];
    const body = { ...problem("answer_invalid", 422), errors };
    const all = await asking(FORM, {
      server: { answers: { "POST /resume": [{ status: 422, body }] } },
    });
    await all.pass(500);
    all.type("1\rmine\r\ry\r");
    await all.server.got("POST /resume");
    await all.pass(500);
    await all.shows("Must match the pattern ^a$\n");
    all.type("a\r\ry\r");
    const answer = { action: "accept", content: { db: "SQLite", name: "a" } };
    await all.server.got(`POST /resume ${JSON.stringify({ suspensionId: "q1", answer })}`);
    all.server.happen(closed(FORM, answer));
    await answerAndEnd(all.server);
    expect(await all.code).toBe(0);
  });

  it("is left open by Ctrl-D, with the commands that answer it (D1)", async () => {
    const all = await asking(FORM);
    await all.pass(500);
    all.type("1\r\u0004");
    expect(await all.code).toBe(3);
    expect(all.stderr()).toContain("To answer:\n");
    expect(all.isRaw()).toBe(false);
  });

  it("is reported as answered elsewhere (D1)", async () => {
    const all = await asking(FORM);
    await all.pass(500);
    all.server.happen(closed(FORM, { action: "decline" }));
    await all.shows("→ answered elsewhere by browser: declined\n");
    await answerAndEnd(all.server);
    expect(await all.code).toBe(0);
  });

  it("is shown with its fields and the commands when there is no terminal, and ends with 3 (D1)", async () => {
    const { code, stderr } = await asking(FORM, { terminal: { isTerminal: false } });
    expect(await code).toBe(3);
    expect(stderr()).toBe(
      [
        "",
        "? Which database?",
        "  It is for the tests.",
        '  db: "SQLite" | "PostgreSQL" (required)',
        "  name: text",
        "  key: text",
        "To answer:",
        `  holdfast resume s1 --suspension q1 --answer '{"action":"accept","content":{"db":"SQLite"}}'`,
        `  holdfast resume s1 --suspension q1 --answer '{"action":"decline"}'`,
        `  holdfast resume s1 --suspension q1 --answer '{"action":"cancel"}'`,
        "",
      ].join("\n"),
    );
  });
});

describe("a page that the agent asks to open", () => {
  it.each([
    ["1", { action: "accept" }, "opened"],
    ["n", { action: "decline" }, "declined"],
    ["3", { action: "cancel" }, "cancelled"],
  ])(
    "is shown with its host and on one line, and answered by %s (D1)",
    async (key, answer, word) => {
      const all = await asking(PAGE);
      await all.shows(`open a page of login.example.com:\n  ${String(PAGE.request["url"])}\n`);
      await all.shows("Press 1–3; Esc or n: Decline\n");
      await all.pass(500);
      all.type(key);
      await all.server.got("POST /resume");
      expect(all.server.asked.at(-1)).toBe(
        `POST /resume ${JSON.stringify({ suspensionId: "q1", answer })}`,
      );
      all.server.happen(closed(PAGE, answer));
      await answerAndEnd(all.server);
      expect(await all.code).toBe(0);
      expect(all.screen()).toContain(`→ ${word}\n`);
    },
  );

  it("is no longer asked once the agent says that it is complete (D1)", async () => {
    const all = await asking(PAGE);
    await all.shows("Press 1–3");
    all.server.happen(asked({ ...PAGE, status: "withdrawn" }));
    await all.shows("→ no longer asked: withdrawn\n");
    await answerAndEnd(all.server);
    expect(await all.code).toBe(0);
  });
});
