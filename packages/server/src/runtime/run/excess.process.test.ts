import { afterEach, describe, expect, it } from "vitest";
import { askAll, flood, ignore, say, script, tool } from "../../providers/testing/script.ts";
import { TestRuntime, transcript, type TestRuntimeOptions } from "../testing/test-runtime.ts";

let test: TestRuntime;
afterEach(() => test.close());

async function open(options: TestRuntimeOptions = {}): Promise<string> {
  test = await TestRuntime.open(options);
  return test.createSession();
}

describe("a run that exceeds its limits", () => {
  it("ends with the reason, keeps what was stored, and the next message works (P6)", async () => {
    const id = await open({ limits: { runMessages: 10 } });
    const calls = Array.from({ length: 30 }, (_, number) =>
      tool({ id: `call-${number}`, title: `Call ${number}`, ends: "completed" }),
    );
    await test.send(id, script(ignore("cancel", "eof"), ...calls));
    const { messages } = await test.idle(id);
    expect(messages.at(-1)?.content).toMatchObject({
      notice: "run_failed",
      code: "agent_excessive",
      text: expect.stringContaining("it wrote more than 10 messages"),
    });
    const titles = messages
      .filter(({ content }) => content["type"] === "tool")
      .map(({ content }) => content["title"]);
    // The first one too many is stored, too.
    expect(titles).toEqual(Array.from({ length: 11 }, (_, number) => `Call ${number}`));
    expect(await test.processes()).toEqual([]);
    await test.send(id, script(say("next")));
    expect(transcript(await test.idle(id)).at(-1)).toBe("agent next");
  });

  it("ends when it has written too much, even in one message (P6)", async () => {
    const id = await open({ limits: { runMiB: 1 } });
    await test.send(id, script(flood({ count: 3_000, text: "x".repeat(1_023) + "\n" })));
    const { messages } = await test.idle(id);
    expect(messages.at(-1)?.content).toMatchObject({
      code: "agent_excessive",
      text: expect.stringContaining("it wrote more than 1 MiB"),
    });
    const written = messages.reduce(
      (sum, { role, content: { text } }) =>
        sum + (role === "agent" && typeof text === "string" ? text.length : 0),
      0,
    );
    expect(written).toBeGreaterThanOrEqual(1024 * 1024);
  });

  it("ends when its agent does not stop asking (P6)", async () => {
    const id = await open();
    const asks = Array.from({ length: 1_200 }, (_, number) => ({
      id: `ask-${number}`,
      title: `Question ${number}`,
    }));
    await test.send(id, script(askAll(...asks)));
    const { messages } = await test.until(id, ({ messages }) =>
      messages.some(({ content }) => content["code"] === "agent_excessive"),
    );
    expect(messages.at(-1)?.content["text"]).toContain(
      "it asked for permission 1,000 times while 100 requests were open",
    );
  });
});
