import { writeFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  notify,
  request,
  say,
  update,
  waitFor,
  type Step,
} from "../../packages/server/src/providers/testing/script.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";
import { transcriptOf } from "./transcript-page.ts";

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

const ofChild = (value: object): Step =>
  notify("session/update", { sessionId: "child", update: value });
const text = (words: string): Step =>
  ofChild({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: words } });
const state = (fields: object): Step =>
  update({
    sessionUpdate: "subagent_update",
    sessionId: "child",
    title: "Researcher",
    description: "Find all callers of the old function",
    state: fields,
  });
const read: Step = ofChild({
  sessionUpdate: "tool_call",
  toolCallId: "t1",
  title: "Read callers.ts",
  kind: "read",
  status: "completed",
  rawOutput: "export const callers = 3;",
});

describe("the page of a session with sub-agents", () => {
  it("folds their work under their call, live, and shows what waits for an answer (C9, D1)", async () => {
    const gate = rig.gate();
    const { id } = await rig.newSession({
      title: "Sub-agents",
      steps: [
        say("I let somebody look."),
        state({ state: "running" }),
        text("I look through the **callers**. "),
        read,
        waitFor(gate),
        text("There are three."),
        request("session/request_permission", {
          sessionId: "child",
          toolCall: { toolCallId: "t2", title: "Write notes.md", kind: "edit", rawInput: { a: 1 } },
          options: [{ optionId: "yes", name: "Allow it", kind: "allow_once" }],
        }),
        ofChild({ sessionUpdate: "tool_call_update", toolCallId: "t2", status: "completed" }),
        state({ state: "idle", stopReason: "end_turn" }),
        say(" Done."),
      ],
    });
    const page = await rig.open(`/sessions/${id}`);
    const transcript = transcriptOf(page);
    await transcript.getByText("Researcher", { exact: true }).waitFor();
    const work = transcript.getByRole("button", { name: /messages of the sub-agent/u });
    await work.waitFor();
    expect(await transcript.getByText("Read callers.ts", { exact: true }).count()).toBe(0);
    await work.click();
    await transcript.getByText("I look through the callers.").waitFor();
    await transcript.getByText("Read callers.ts", { exact: true }).waitFor();
    await work.click();
    writeFileSync(gate, "");
    await page.getByRole("button", { name: "Allow it" }).first().click();
    await transcript.getByText("Done.", { exact: false }).last().waitFor();
    await rig.until(id, (whole) => whole.state === "idle");
  });
});

describe("the dialog that deletes a session", () => {
  it("offers to delete what the agents keep, and says what is left (C8)", async () => {
    const { id } = await rig.newSession({ title: "Old work", steps: [say("one")] });
    await rig.until(id, (whole) => whole.state === "idle");
    const page = await rig.open(`/sessions/${id}`);
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: /delete/iu }).click();
    await page.getByLabel('Type "delete" to delete it').fill("delete");
    await page.getByLabel("Also delete what its agents keep of it").check();
    await page.getByRole("button", { name: "Delete for good" }).click();
    await page.getByText("Old work was deleted").waitFor();
  });
});
