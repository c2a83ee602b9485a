import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../domain/json.ts";
import type { Suspension } from "../../domain/suspension.ts";
import {
  ask,
  elicit,
  form,
  request,
  say,
  script,
  type Step,
} from "../../providers/testing/script.ts";
import { ok, TestRuntime, transcript } from "../testing/test-runtime.ts";

let test: TestRuntime;
let id: string;
beforeEach(async () => {
  test = await TestRuntime.open();
  id = await test.createSession();
});
afterEach(() => test.close());

const COLOUR = form(
  "Which colour?\nFor the new door.",
  {
    colour: { type: "string", title: "Colour", enum: ["red", "blue"] },
    coats: { type: "integer" },
  },
  ["colour"],
);
const PAGE = {
  mode: "url",
  message: "Log in to the paint shop",
  url: "https://paint.example/login",
  elicitationId: "e1",
};
const BLUE = { action: "accept", content: { colour: "blue" } };

const send = (...steps: readonly Step[]) => test.send(id, script(...steps));

async function asked(count = 1): Promise<readonly Suspension[]> {
  const { session } = await test.until(id, (whole) => whole.session.suspensions.length === count);
  return session.suspensions;
}

const answer = (suspension: Suspension | undefined, value: Json) =>
  test.runtime.answer({
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

/** The agent's last words, once the session is idle. */
const heard = async (): Promise<string> =>
  transcript(await test.idle(id)).findLast((line) => line.startsWith("agent ")) ?? "";

const notices = async (): Promise<readonly string[]> =>
  (await test.idle(id)).messages.flatMap(({ content }) =>
    content["notice"] === "request_refused" && typeof content["text"] === "string"
      ? [content["text"]]
      : [],
  );

describe("an elicitation", () => {
  it("waits in the inbox with its schema, and the agent gets exactly the answer (D1)", async () => {
    await send(elicit(COLOUR), say(" Good."));
    const [suspension] = await asked();
    expect(suspension).toMatchObject({
      kind: "elicitation",
      request: {
        title: "Which colour?",
        message: "Which colour?\nFor the new door.",
        mode: "form",
        schema: COLOUR["requestedSchema"],
        toolCallId: null,
      },
      expiresAt: null,
    });
    const inbox = await test.runtime.listSuspensions();
    expect(inbox.map((each) => [each.sessionId, each.id])).toEqual([[id, suspension?.id]]);
    ok(await answer(suspension, BLUE));
    expect(await heard()).toBe(`agent elicited: ${JSON.stringify(BLUE)} Good.`);
    expect(await stored()).toEqual([["answered", BLUE, "ada"]]);
  });

  it.each<JsonObject>([{ action: "decline" }, { action: "cancel" }])(
    "answered with %j reaches the agent like that (D1)",
    async (given) => {
      await send(elicit(COLOUR));
      const [suspension] = await asked();
      ok(await answer(suspension, given));
      expect(await heard()).toBe(`agent elicited: ${JSON.stringify(given)}`);
    },
  );

  it("refuses an answer that does not fit by field, and stays open (D1)", async () => {
    await send(elicit(COLOUR));
    const [suspension] = await asked();
    const refused = await answer(suspension, {
      action: "accept",
      content: { colour: "green", coats: 1.5, size: 3 },
    });
    expect(refused).toMatchObject({
      ok: false,
      refusal: {
        code: "answer_invalid",
        message: expect.stringContaining('colour must be one of "red", "blue"'),
        errors: [
          { field: "colour", message: 'must be one of "red", "blue"' },
          { field: "coats", message: "must be a whole number" },
          { field: "size", message: "is not a field of this form" },
        ],
      },
    });
    expect((await answer(suspension, "blue")).ok).toBe(false);
    ok(await answer(suspension, BLUE));
    ok(await answer(suspension, BLUE));
    expect(await answer(suspension, { action: "decline" })).toMatchObject({
      refusal: { code: "suspension_answered" },
    });
  });

  it("waits beside others and beside permissions (D1, C3)", async () => {
    const second = form("How many coats?", { coats: { type: "integer" } });
    await send(
      { step: "elicit-all", asks: [{ params: COLOUR }, { params: second }] },
      ask({ id: "t1", title: "Paint" }),
    );
    const both = await asked(2);
    const named = (title: string) => both.find((each) => each.request["title"] === title);
    ok(await answer(named("How many coats?"), { action: "accept", content: { coats: 2 } }));
    ok(await answer(named("Which colour?"), BLUE));
    const { session } = await test.until(id, (whole) =>
      whole.session.suspensions.some(({ kind }) => kind === "permission"),
    );
    ok(await answer(session.suspensions[0], "allow"));
    expect(transcript(await test.idle(id)).join("\n")).toContain(
      `elicited: ${JSON.stringify(BLUE)} | {"action":"accept","content":{"coats":2}}`,
    );
  });

  it("can be withdrawn by the agent: the answer is then too late (D1)", async () => {
    const gone = path.join(test.folder, "gone");
    await send(elicit(COLOUR, { withdrawWhen: gone }), say(" alone"));
    const [suspension] = await asked();
    writeFileSync(gone, "");
    expect(await heard()).toContain("withdrawn alone");
    expect(await answer(suspension, BLUE)).toMatchObject({
      refusal: { code: "suspension_not_open" },
    });
  });

  it("is closed by a cancel of the run (D1)", async () => {
    await send(elicit(COLOUR));
    await asked();
    ok(await test.runtime.cancel({ sessionId: id, reason: "enough" }));
    await test.idle(id);
    expect(await stored()).toEqual([["released", null, null]]);
  });

  it("expires like a permission, which is no answer (D1)", async () => {
    await test.restartWith({ limits: { permissionMs: 200 } });
    await send(elicit(COLOUR));
    expect(await heard()).toBe('agent elicited: {"action":"cancel"}');
    expect(await stored()).toEqual([["expired", null, null]]);
  });

  it("is for people: a policy that allows everything does not answer it (D1)", async () => {
    await test.restartWith({ permissions: { rules: [{ decision: "allow" }], phases: {} } });
    await send(elicit(COLOUR));
    const [suspension] = await asked();
    ok(await answer(suspension, { action: "decline" }));
    await test.idle(id);
  });
});

describe("an elicitation whose agent is gone", () => {
  it("stays open, and the next agent is told what was asked and answered (D1, C3)", async () => {
    await send(elicit(COLOUR));
    const [suspension] = await asked();
    await test.killAgents();
    expect((await test.read(id)).session.suspensions).toMatchObject([{ id: suspension?.id }]);
    expect((await answer(suspension, { action: "accept" })).ok).toBe(false);
    ok(await answer(suspension, BLUE));
    const told = await heard();
    expect(told).toContain(
      String.raw`You asked the user: "Which colour?\nFor the new door." The user answered exactly this: {"colour":"blue"}`,
    );
    expect(told).toContain('"Colour" (colour): "blue"');
    expect(told).toContain("only the answers above are the user's");
  });

  it.each<[JsonObject, string]>([
    [{ action: "decline" }, "The user DECLINED to answer."],
    [{ action: "cancel" }, "The user closed the question without an answer."],
  ])("and answered with %j says so (D1)", async (given, words) => {
    await send(elicit(COLOUR));
    const [suspension] = await asked();
    await test.killAgents();
    ok(await answer(suspension, given));
    expect(await heard()).toContain(words);
  });

  it("survives a crash of the server and is answered afterwards (D1, C3)", async () => {
    await send(elicit(COLOUR));
    const [suspension] = await asked();
    await test.restartAfterCrash();
    expect((await test.read(id)).session).toMatchObject({
      state: "suspended",
      suspensions: [{ id: suspension?.id, kind: "elicitation" }],
    });
    ok(await answer(suspension, BLUE));
    expect(await heard()).toContain('exactly this: {"colour":"blue"}');
  });

  it("is answered once with the stored answer when the next agent asks the same again (D1)", async () => {
    await test.restartWith({ agents: [{ otherwise: [elicit(COLOUR), elicit(COLOUR)] }] });
    await send(elicit(COLOUR));
    const [first] = await asked();
    await test.killAgents();
    ok(await answer(first, BLUE));
    const { session } = await test.until(id, (whole) =>
      whole.session.suspensions.some((each) => each.id !== first?.id),
    );
    ok(await answer(session.suspensions[0], { action: "decline" }));
    expect(transcript(await test.idle(id)).join("\n")).toContain(
      `agent elicited: ${JSON.stringify(BLUE)}elicited: {"action":"decline"}`,
    );
    expect(await stored()).toEqual([
      ["answered", BLUE, "ada"],
      ["answered", BLUE, `an earlier answer, ${first?.id}`],
      ["answered", { action: "decline" }, "ada"],
    ]);
  });
});

describe("an elicitation with a URL", () => {
  it("is accepted when the person has opened it (D1)", async () => {
    await send(elicit(PAGE));
    const [suspension] = await asked();
    expect(suspension?.request).toEqual({
      title: "Log in to the paint shop",
      message: "Log in to the paint shop",
      mode: "url",
      url: "https://paint.example/login",
      elicitationId: "e1",
      toolCallId: null,
    });
    ok(await answer(suspension, { action: "accept" }));
    expect(await heard()).toBe('agent elicited: {"action":"accept"}');
  });

  it("is closed when the agent says that the person has finished there (D1)", async () => {
    const done = path.join(test.folder, "done");
    await send(elicit(PAGE, { completeWhen: done }), say(" in"));
    await asked();
    writeFileSync(done, "");
    expect(await heard()).toBe('agent elicited: {"action":"accept"} in');
    expect(await stored()).toEqual([["answered", { action: "accept" }, "the agent"]]);
  });

  it("ignores the completion of an unknown URL (D1)", async () => {
    await send(
      { step: "notify", method: "elicitation/complete", params: { elicitationId: "e9" } },
      elicit(PAGE),
    );
    const [suspension] = await asked();
    ok(await answer(suspension, { action: "decline" }));
    expect(await heard()).toBe('agent elicited: {"action":"decline"}');
  });
});

describe("a request that cannot be put to a person", () => {
  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ["a form that is not flat", form("?", { a: { type: "object" } }, ["a"]), "is not a text"],
    ["a form that refers to itself", { ...COLOUR, requestedSchema: { $ref: "#" } }, '"$ref"'],
    ["a URL that is a script", { ...PAGE, url: "javascript:alert(1)" }, "not a web address"],
    ["an unknown mode", { mode: "hologram", message: "?" }, "neither"],
  ])("%s is refused as invalid, and the transcript says why (D1)", async (_, params, why) => {
    await send(elicit(params));
    expect(await heard()).toBe("agent elicited: error -32602");
    expect(await notices()).toEqual([expect.stringContaining(why)]);
    expect(await stored()).toEqual([]);
  });

  it("is said once per kind and message, for unknown methods and invalid permissions, too (D1)", async () => {
    const files = request("fs/read_text_file", { path: "/etc/passwd" });
    await send(
      files,
      files,
      request("terminal/create", { command: "ls" }),
      request("craft/drainMidTurnQueue"),
      ask({ id: "t1", title: "Nothing to choose", options: [] }),
    );
    expect(await notices()).toEqual([
      "The agent sent a request that Holdfast does not support: fs/read_text_file. It was told so.",
      "The agent sent a request that Holdfast does not support: terminal/create. It was told so.",
      "The agent sent a permission request that could not be shown, because it names no options to choose from. Nobody was asked, and the agent was told so.",
    ]);
    await send(files);
    expect(await notices()).toHaveLength(4);
  });
});
