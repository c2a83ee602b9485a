import { afterEach, describe, expect, it } from "vitest";
import {
  echo,
  notify,
  request,
  say,
  script,
  update,
  wait,
} from "../../providers/testing/script.ts";
import { TestRuntime, transcript } from "../testing/test-runtime.ts";

let test: TestRuntime;
afterEach(() => test.close());

const chunk = (text: string) => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
});
const ofChild = (value: object) => notify("session/update", { sessionId: "child", update: value });
const state = (fields: object) =>
  update({
    sessionUpdate: "subagent_update",
    sessionId: "child",
    title: "Researcher",
    state: fields,
  });

describe("a sub-agent (D1)", () => {
  it("is a tool call with its work under it, also while the agent speaks, and is not in a briefing", async () => {
    test = await TestRuntime.open();
    const id = await test.createSession();
    await test.send(
      id,
      script(
        say("I let "),
        state({ state: "running" }),
        ofChild(chunk("I look ")),
        say("somebody look."),
        ofChild(chunk("for plums.")),
        ofChild({
          sessionUpdate: "tool_call",
          toolCallId: "t1",
          title: "Read a.txt",
          status: "completed",
          rawOutput: "words",
        }),
        state({ state: "idle", stopReason: "end_turn" }),
      ),
    );
    const { messages } = await test.idle(id);
    const shown = messages.slice(1).map(({ content, complete }) => {
      const { type, text, title, callId, parent, status } = content;
      return { type, text, title, callId, parent, status, complete };
    });
    expect(shown).toEqual([
      { type: "text", text: "I let ", complete: true },
      {
        type: "tool",
        title: "Researcher",
        callId: "child",
        status: "completed",
        complete: true,
      },
      { type: "text", text: "I look for plums.", parent: "child", complete: true },
      { type: "text", text: "somebody look.", complete: true },
      {
        type: "tool",
        title: "Read a.txt",
        callId: "child/t1",
        parent: "child",
        status: "completed",
        complete: true,
      },
    ]);
    await test.killAgents();
    await test.send(id, script(echo()));
    const last = transcript(await test.idle(id)).at(-1);
    expect(last).toContain("used Researcher");
    expect(last).not.toContain("plums.\n");
  });

  it("asks the person for permission, and gets the answer", async () => {
    test = await TestRuntime.open();
    const id = await test.createSession();
    await test.send(
      id,
      script(
        state({ state: "running" }),
        request("session/request_permission", {
          sessionId: "child",
          toolCall: { toolCallId: "t1", title: "Write b.txt", kind: "edit", rawInput: { a: 1 } },
          options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
        }),
        wait(1),
      ),
    );
    const { session } = await test.until(id, (whole) => whole.session.state === "suspended");
    const [question] = session.suspensions;
    expect(question?.request).toMatchObject({
      title: "Write b.txt",
      toolCallId: "child/t1",
      subagent: "Researcher",
    });
    await test.runtime.answer({
      sessionId: id,
      suspensionId: question?.id ?? "",
      answer: "yes",
      by: "ada",
    });
    const lines = transcript(await test.idle(id));
    expect(lines.at(-1)).toBe("agent session/request_permission: result");
  });
});
