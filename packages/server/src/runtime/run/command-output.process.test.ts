import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { isObject } from "../../domain/json.ts";
import { script, update, waitFor, type Step } from "../../providers/testing/script.ts";
import type { WholeSession } from "../runtime.ts";
import { TestRuntime } from "../testing/test-runtime.ts";

let test: TestRuntime;
beforeEach(async () => {
  test = await TestRuntime.open();
});
afterEach(() => test.close());

const gate = (name: string): string => path.join(test.folder, name);
const lines = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => `${from + index}\n`).join("");

const call = (fields: object): Step =>
  update({ sessionUpdate: "tool_call_update", toolCallId: "c1", ...fields });
const prints = (data: string): Step =>
  call({ _meta: { terminal_output_delta: { terminal_id: "c1", data } } });
const BEGIN = update({
  sessionUpdate: "tool_call",
  toolCallId: "c1",
  title: "seq 1 20000",
  kind: "execute",
  status: "in_progress",
  content: [{ type: "terminal", terminalId: "c1" }],
});
const END = call({
  status: "completed",
  _meta: { terminal_exit: { terminal_id: "c1", exit_code: 0, signal: null } },
});

function terminalOf({ messages }: WholeSession): Readonly<Record<string, unknown>> {
  const tool = messages.find(({ content }) => content.type === "tool");
  const output = tool?.content["output"];
  const [terminal = null] = Array.isArray(output) ? output : [];
  return isObject(terminal) ? terminal : {};
}

describe("the output of a command", () => {
  it("D1 is shown while the command runs, and is whole afterwards, with the exit code", async () => {
    const pieces = Array.from({ length: 200 }, (_, index) =>
      prints(lines(1 + index * 100, 1 + (index + 1) * 100)),
    );
    const id = await test.createSession();
    const [first = END, ...rest] = pieces;
    await test.send(id, script(BEGIN, first, waitFor(gate("go")), ...rest, END));
    const live = await test.until(id, (whole) => terminalOf(whole)["text"] === lines(1, 101));
    expect(terminalOf(live)).toMatchObject({ exitCode: null });
    writeFileSync(gate("go"), "");
    const after = await test.idle(id);
    expect(terminalOf(after)).toMatchObject({ exitCode: 0 });
    expect(terminalOf(after)["text"] === lines(1, 20_001)).toBe(true);
  });

  it("D1 is kept as far as it came when the server is killed, and the call is unfinished", async () => {
    const id = await test.createSession();
    const never = waitFor(gate("never"));
    await test.send(id, script(BEGIN, prints("one\n"), prints("two\n"), prints("three\n"), never));
    await test.until(id, (whole) => terminalOf(whole)["text"] === "one\ntwo\nthree\n");
    await test.restartAfterCrash();
    const after = await test.until(id, ({ session }) => session.state === "idle");
    expect(terminalOf(after)).toMatchObject({ text: "one\ntwo\nthree\n", exitCode: null });
    const tool = after.messages.find(({ content }) => content.type === "tool");
    expect(tool).toMatchObject({ complete: true, content: { status: "unfinished" } });
  });
});
