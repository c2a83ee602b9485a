import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import type { AgentReport } from "../provider.ts";
import type { Asking } from "./asking.ts";
import { createPendingElicitations, type PendingElicitations } from "./pending-elicitations.ts";
import { createRefusals } from "./refusals.ts";
import { createTranslator } from "./translate/translate.ts";
import { SecretResult } from "./wire/secret-result.ts";

let reports: AgentReport[];
let said: string[];
let secrets: string[];
let asking: Asking;
let pending: PendingElicitations;
beforeEach(() => {
  reports = [];
  said = [];
  secrets = [];
  asking = "now";
  pending = createPendingElicitations({
    translator: createTranslator(),
    refusals: createRefusals((text) => said.push(text)),
    newRequestId: randomUUID,
    asking: () => asking,
    report: (report) => reports.push(report),
    onSecret: (secret) => secrets.push(secret),
  });
});

const NAME = {
  mode: "form",
  message: "Who?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } } },
};
const PAGE = { mode: "url", message: "Log in", url: "https://a.example", elicitationId: "e1" };

const asked = (): readonly string[] =>
  reports.flatMap((report) => (report.report === "elicitation" ? [report.requestId] : []));

describe("an answer with a secret", () => {
  it("goes to the agent, and its traffic shows a mark (D1)", async () => {
    const requestedSchema = {
      type: "object",
      properties: { name: { type: "string" }, pin: { type: "string", writeOnly: true } },
    };
    const reply = pending.create({ ...NAME, requestedSchema }, 1);
    const content = { name: "ada", pin: "4711" };
    pending.answer(asked()[0] ?? "", { action: "accept", content });
    expect(await reply).toEqual(
      new SecretResult(
        { action: "accept", content },
        { action: "accept", content: { name: "ada", pin: { notStored: true } } },
      ),
    );
    expect(secrets).toEqual(["4711"]);
  });
});

describe("an elicitation before the first prompt", () => {
  it("is asked when the prompt begins (D1)", async () => {
    asking = "soon";
    const reply = pending.create(NAME, 1);
    expect(reports).toEqual([]);
    asking = "now";
    pending.begin();
    expect(asked()).toHaveLength(1);
    expect(pending.answer(asked()[0] ?? "", { action: "decline" })).toBe(true);
    expect(await reply).toEqual({ action: "decline" });
  });

  it("gets a reply, too, if no prompt follows (D1)", async () => {
    asking = "soon";
    const reply = pending.create(NAME, 1);
    pending.cancelAll({ isReported: false });
    expect(await reply).toEqual({ action: "cancel" });
    pending.begin();
    expect(asked()).toEqual([]);
  });
});

describe("an open elicitation", () => {
  it("ends with an error when the agent withdraws it, and takes no answer afterwards (D1)", async () => {
    const reply = pending.create(NAME, 7);
    pending.withdraw(7);
    await expect(reply).rejects.toMatchObject({ code: -32800 });
    expect(reports.at(-1)).toEqual({ report: "withdrawn", requestId: asked()[0] });
    expect(pending.answer(asked()[0] ?? "", { action: "accept", content: {} })).toBe(false);
  });

  it("is completed by its own ID only, and only while it is open (D1)", async () => {
    const reply = pending.create(PAGE, 1);
    pending.complete({ elicitationId: "e2" });
    pending.complete(null);
    expect(reports.filter(({ report }) => report === "completed")).toEqual([]);
    pending.complete({ elicitationId: "e1" });
    expect(reports.at(-1)).toEqual({ report: "completed", requestId: asked()[0] });
    pending.answer(asked()[0] ?? "", { action: "accept" });
    expect(await reply).toEqual({ action: "accept" });
    pending.complete({ elicitationId: "e1" });
    expect(reports.filter(({ report }) => report === "completed")).toHaveLength(1);
  });

  it("is one of at most a hundred; an agent that asks on and on is ended (D1)", async () => {
    for (let id = 0; id < 100; id += 1) void pending.create(NAME, id);
    expect(await pending.create(NAME, 100)).toEqual({ action: "cancel" });
    for (let id = 101; id < 1_100; id += 1) void pending.create(NAME, id);
    expect(asked()).toHaveLength(100);
    expect(reports.at(-1)).toMatchObject({ report: "excess" });
    pending.cancelAll({ isReported: true });
    expect(reports.filter(({ report }) => report === "withdrawn")).toHaveLength(100);
  });
});

it("a question while a prompt is being cancelled is answered with nothing said (D1)", async () => {
  asking = "cancelling";
  expect(await pending.create(NAME, 1)).toEqual({ action: "cancel" });
  expect([reports, said]).toEqual([[], []]);
});
