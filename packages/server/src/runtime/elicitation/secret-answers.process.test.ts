import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Json } from "../../domain/json.ts";
import type { Suspension } from "../../domain/suspension.ts";
import { elicit, form, say, script, waitFor, type Step } from "../../providers/testing/script.ts";
import { allRows } from "../../storage/testing/all-rows.ts";
import { ok, TestRuntime, transcript } from "../testing/test-runtime.ts";

let test: TestRuntime;
let id: string;
beforeEach(async () => {
  test = await TestRuntime.open();
  id = await test.createSession();
});
afterEach(() => test.close());

const PASSWORD = "correct-horse-7391-battery";
const PIN = "49713";
const FORM = form(
  "Sign in to the paint shop",
  {
    user: { type: "string", title: "User" },
    password: { type: "string", title: "Password", format: "password" },
    pin: { type: "string", writeOnly: true },
    key: { type: "string", _meta: { codex: { isSecret: true } } },
  },
  ["user", "password"],
);
const GIVEN = { action: "accept", content: { user: "ada", password: PASSWORD, pin: PIN } };
const NOT_STORED = { notStored: true };
const STORED = {
  action: "accept",
  content: { user: "ada", password: NOT_STORED, pin: NOT_STORED },
};

const send = (...steps: readonly Step[]) => test.send(id, script(...steps));

async function asked(earlier: readonly Suspension[] = []): Promise<readonly Suspension[]> {
  const known = new Set(earlier.map((each) => each.id));
  const isNew = (each: Suspension): boolean => !known.has(each.id);
  const { session } = await test.until(id, (whole) => whole.session.suspensions.some(isNew));
  return session.suspensions;
}

const answer = ([suspension]: readonly Suspension[], value: Json, by = test) =>
  by.runtime.answer({
    sessionId: id,
    suspensionId: suspension?.id ?? "",
    answer: value,
    by: "ada",
  });

const stored = async (): Promise<readonly unknown[]> =>
  (await test.store.readSuspensions(id)).map(({ status, answer: given, answeredBy }) => [
    status,
    given,
    answeredBy,
  ]);

const text = async (): Promise<string> => transcript(await test.idle(id)).join("\n");

/** What the agents have received. */
const received = (): string => readFileSync(path.join(test.folder, "received"), "utf8");

/** Stops the runtime, and reads the database, the journals and the log. */
async function everythingKept(): Promise<string> {
  const journals = await test.journals();
  const rows = await allRows(test.location);
  return [JSON.stringify(rows), journals, JSON.stringify(test.logged)].join("\n");
}

async function withAgents(otherwise: readonly Step[]): Promise<void> {
  const log = path.join(test.folder, "received");
  await test.restartWith({ agents: [{ log, otherwise }], limits: { liveAgents: 1 } });
}

/** Answers a question whose agent is gone, while no other agent can start. Returns what lets one start. */
async function answerWithoutAgent(): Promise<() => void> {
  const free = path.join(test.folder, "free");
  const other = await test.createSession();
  await send(elicit(FORM));
  const question = await asked();
  await test.killAgents();
  await test.send(other, script(say("begun"), waitFor(free)));
  // Its run is then interrupted by a crash, and does not come back.
  await test.until(other, ({ messages }) => messages.some(({ role }) => role === "agent"));
  ok(await answer(question, GIVEN));
  expect(await stored()).toEqual([["answered", STORED, "ada"]]);
  return () => writeFileSync(free, "");
}

describe("the answer to a secret field", () => {
  it("reaches the agent exactly, and is neither stored nor shown nor logged (D1)", async () => {
    await withAgents([]);
    await send(elicit(FORM));
    const question = await asked();
    ok(await answer(question, GIVEN));
    const said = await text();
    expect(said).toContain('"password":"[redacted]"');
    expect(said).toContain("Password: (not shown)");
    expect(await stored()).toEqual([["answered", STORED, "ada"]]);
    expect(received()).toContain(`"password":"${PASSWORD}","pin":"${PIN}"`);
    const kept = await everythingKept();
    expect(kept).not.toContain(PASSWORD);
    const sent = (await test.journals())
      .split("\n")
      .filter((line) => line.includes('"direction":"out"'))
      .join("\n");
    expect(sent).toContain(
      String.raw`\"password\":{\"notStored\":true},\"pin\":{\"notStored\":true}`,
    );
    expect(sent).not.toContain(PIN);
  });

  it("is checked like others, and a repeated answer is no error (D1)", async () => {
    await send(elicit(FORM));
    const question = await asked();
    const wrong = { action: "accept", content: { user: "ada", password: { notStored: true } } };
    expect(await answer(question, wrong)).toMatchObject({ refusal: { code: "answer_invalid" } });
    ok(await answer(question, GIVEN));
    ok(await answer(question, GIVEN));
    expect(await answer(question, { action: "decline" })).toMatchObject({
      refusal: { code: "suspension_answered" },
    });
    await test.idle(id);
  });

  it("is given to the next agent of the run when that asks the same again (D1)", async () => {
    await withAgents([elicit(FORM)]);
    const goOn = await answerWithoutAgent();
    goOn();
    const said = await text();
    expect(received()).toContain(`"password":"${PASSWORD}","pin":"${PIN}"`);
    expect(received()).toContain("which are not stored. Ask exactly the same again");
    expect(said).not.toContain(PASSWORD);
    expect(await stored()).toMatchObject([
      ["answered", STORED, "ada"],
      ["answered", STORED, expect.stringContaining("an earlier answer, ")],
    ]);
    expect(await everythingKept()).not.toContain(PASSWORD);
  });

  it("is asked for again after a crash that came before the agent had it (D1, C3)", async () => {
    await withAgents([elicit(FORM)]);
    await answerWithoutAgent();
    await test.restartAfterCrash();
    const again = await asked();
    expect(received()).not.toContain(PASSWORD);
    ok(await answer(again, GIVEN));
    await test.idle(id);
    expect(received()).toContain(`"password":"${PASSWORD}"`);
    expect(await stored()).toEqual([
      ["answered", STORED, "ada"],
      ["answered", STORED, "ada"],
    ]);
    expect(await everythingKept()).not.toContain(PASSWORD);
  });
});

describe("the answer to a secret field on another node", () => {
  it("is refused, because it is not stored, and the node with the agent takes it (D1)", async () => {
    await test.close();
    test = await TestRuntime.open({ engine: "postgres" });
    id = await test.createSession();
    await send(elicit(FORM));
    const question = await asked();
    const other = await test.addNode();
    try {
      expect(await answer(question, GIVEN, other)).toMatchObject({
        refusal: { code: "secret_undeliverable", message: expect.stringContaining(test.node) },
      });
      ok(await answer(question, GIVEN));
      expect(await text()).toContain('"password":"[redacted]"');
    } finally {
      await other.stop();
      await other.store.close();
    }
  });
});

describe("an elicitation with a URL that a person opened", () => {
  it("shows in the transcript that the agent says it is finished (D1)", async () => {
    const page = {
      mode: "url",
      message: "Log in to the paint shop",
      url: "https://paint.example/login",
      elicitationId: "e1",
    };
    const complete: Step = {
      step: "notify",
      method: "elicitation/complete",
      params: { elicitationId: "e1" },
    };
    await send(elicit(page), complete, complete, say(" in"));
    ok(await answer(await asked(), { action: "accept" }));
    const { messages } = await test.idle(id);
    expect(
      messages.filter(({ content }) => content["notice"] === "elicitation_completed"),
    ).toMatchObject([
      { content: { text: "The agent says that this page is finished: Log in to the paint shop" } },
    ]);
  });
});
