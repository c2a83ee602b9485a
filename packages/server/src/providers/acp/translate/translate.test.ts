import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanText } from "../../../domain/clean-text.ts";
import { sameJson, type Json } from "../../../domain/json.ts";
import type { AgentReport } from "../../provider.ts";
import { learnAbout, NOTHING_KNOWN } from "./about.ts";
import { createTranslator } from "./translate.ts";

const ALIVE = [{ report: "alive" }];

describe("text", () => {
  it("is reported with its voice and the agent's message IDs", () => {
    const translator = createTranslator();
    expect([
      ...translator.update(chunk("agent_thought_chunk", "Hm.", { messageId: "m1" })),
      ...translator.update(chunk("agent_message_chunk", "Yes.", { messageId: "m1" })),
      ...translator.update(chunk("agent_message_chunk", " No.")),
    ]).toEqual([
      { report: "text", voice: "thought", part: "m1", text: "Hm." },
      { report: "text", voice: "answer", part: "m1", text: "Yes." },
      { report: "text", voice: "answer", part: null, text: " No." },
    ]);
  });

  it("holds half a character until the other half comes, even with usage in between", () => {
    const translator = createTranslator();
    expect(translator.update(chunk("agent_message_chunk", "a\ud83d"))).toEqual([text("a")]);
    expect(translator.update({ sessionUpdate: "usage_update", used: 1, size: 2 })).toEqual([
      { report: "usage", usage: { contextTokens: 1, contextSize: 2 } },
    ]);
    expect(translator.update(chunk("agent_message_chunk", "\ude00b"))).toEqual([text("😀b")]);
  });

  it("reports half a character before other reports and at the end", () => {
    const translator = createTranslator();
    translator.update(chunk("agent_message_chunk", "a\ud83d"));
    expect(translator.update(chunk("agent_thought_chunk", "b\ud83d"))).toEqual([
      text("\ufffd"),
      { ...text("b"), voice: "thought" },
    ]);
    expect(translator.endPrompt("completed")).toEqual([{ ...text("\ufffd"), voice: "thought" }]);
    expect(translator.endPrompt("completed")).toEqual([]);
  });

  it("does not depend on how it was split", () => {
    const piece = fc.string({ unit: "binary" }).map((value) => value.replaceAll("x", "\ud83d"));
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat(), { maxLength: 20 }), (pieces, cuts) => {
        const whole = pieces.join("");
        const translator = createTranslator();
        const reports = cut(whole, cuts).flatMap((part) =>
          translator.update(chunk("agent_message_chunk", part)),
        );
        const said = textOf([...reports, ...translator.endPrompt("completed")]);
        expect(said).toBe(cleanText(whole));
      }),
    );
  });

  it("of the user is ignored, because it is already stored", () => {
    expect(createTranslator().update(chunk("user_message_chunk", "Hello"))).toEqual(ALIVE);
  });

  it("of a whole message is not repeated if it was streamed before", () => {
    const translator = createTranslator();
    const whole = {
      sessionUpdate: "agent_message",
      messageId: "m1",
      content: [{ type: "text", text: "Hi" }],
    };
    expect(translator.update(whole)).toEqual([{ ...text("Hi"), part: "m1" }]);
    expect(translator.update(whole)).toEqual(ALIVE);
  });
});

describe("blocks other than text", () => {
  it.each([
    [
      { type: "image", data: "aGk=", mimeType: "image/png" },
      { type: "image", mimeType: "image/png", data: "aGk=" },
    ],
    [
      { type: "audio", data: "aGk=", mimeType: "audio/wav" },
      { type: "audio", mimeType: "audio/wav", data: "aGk=" },
    ],
    [
      { type: "resource_link", uri: "file:///a", name: "a", size: 3 },
      { type: "link", uri: "file:///a", name: "a", size: 3 },
    ],
    [
      { type: "resource", resource: { uri: "file:///a", text: "hello" } },
      { type: "resource", uri: "file:///a", text: "hello" },
    ],
  ])("become separate messages (%o)", (content, expected) => {
    expect(createTranslator().update({ sessionUpdate: "agent_message_chunk", content })).toEqual([
      { report: "message", content: expected },
    ]);
  });

  it("leave out an image that is too large, with its size", () => {
    const content = { type: "image", mimeType: "image/png", data: "A".repeat(900 * 1024) };
    expect(createTranslator().update({ sessionUpdate: "agent_message_chunk", content })).toEqual([
      { report: "message", content: { type: "image", mimeType: "image/png", leftOut: 921_600 } },
    ]);
  });

  it("come after held text", () => {
    const translator = createTranslator();
    translator.update(chunk("agent_message_chunk", "\ud83d"));
    const content = { type: "resource_link", uri: "file:///a", name: "a" };
    expect(translator.update({ sessionUpdate: "agent_message_chunk", content })).toEqual([
      text("\ufffd"),
      { report: "message", content: { type: "link", uri: "file:///a", name: "a" } },
    ]);
  });
});

describe("a plan", () => {
  const entries = [
    { content: "Read", status: "completed", priority: "high" },
    { content: "Write" },
    { nothing: true },
  ];
  const steps = [
    { content: "Read", status: "completed", priority: "high" },
    { content: "Write", status: "pending", priority: "medium" },
  ];

  it("is reported whole", () => {
    expect(createTranslator().update({ sessionUpdate: "plan", entries })).toEqual([
      { report: "plan", content: { type: "plan", steps } },
    ]);
  });

  it("is read in its newer form", () => {
    const translator = createTranslator();
    expect(
      translator.update({ sessionUpdate: "plan_update", plan: { type: "items", entries } }),
    ).toEqual([{ report: "plan", content: { type: "plan", steps } }]);
    expect(
      translator.update({
        sessionUpdate: "plan_update",
        plan: { type: "markdown", content: "# Do it" },
      }),
    ).toEqual([{ report: "plan", content: { type: "plan", steps: [], text: "# Do it" } }]);
  });
});

describe("an update besides text and tools", () => {
  it("reports tokens and cost", () => {
    const cost = { amount: 0.5, currency: "USD" };
    expect(
      createTranslator().update({ sessionUpdate: "usage_update", used: 10, size: 100, cost }),
    ).toEqual([{ report: "usage", usage: { contextTokens: 10, contextSize: 100, cost } }]);
  });

  it("adds up the usage on the chunks of one prompt", () => {
    const translator = createTranslator();
    const counted = chunk("agent_message_chunk", "", {
      _meta: { usage: { inputTokens: 10, outputTokens: 2, totalTokens: 12 } },
    });
    translator.update(counted);
    expect(translator.update(counted)).toEqual([
      { report: "usage", usage: { inputTokens: 20, outputTokens: 4, totalTokens: 24 } },
    ]);
    translator.endPrompt("completed");
    expect(translator.update(counted)).toEqual([
      { report: "usage", usage: { inputTokens: 10, outputTokens: 2, totalTokens: 12 } },
    ]);
  });

  it("reports the cost of each prompt from the agent's totals", () => {
    const translator = createTranslator();
    const costs = (amount: number): unknown =>
      translator
        .update({ sessionUpdate: "usage_update", cost: { amount, currency: "USD" } })
        .map((report) => (report.report === "usage" ? report.usage["cost"] : null));
    expect(costs(0.1)).toEqual([{ amount: 0.1, currency: "USD" }]);
    expect(costs(0.3)).toEqual([{ amount: 0.3, currency: "USD" }]);
    translator.endPrompt("completed");
    expect(costs(0.4)).toEqual([{ amount: 0.1, currency: "USD" }]);
    translator.endPrompt("completed");
    expect(costs(0.4)).toEqual([{ amount: 0, currency: "USD" }]);
    expect(costs(0.05)).toEqual([{ amount: 0.05, currency: "USD" }]);
  });

  it("sets the title of the session", () => {
    const translator = createTranslator();
    expect(
      translator.update({ sessionUpdate: "session_info_update", title: " A\u0000B " }),
    ).toEqual([{ report: "title", title: "AB" }]);
    expect(translator.update({ sessionUpdate: "session_info_update", title: null })).toEqual(ALIVE);
  });

  it("reports notices", () => {
    expect(
      createTranslator().update({
        sessionUpdate: "notice",
        severity: "warning",
        title: "Slow down",
        description: "The limit is near.",
      }),
    ).toEqual([
      {
        report: "message",
        content: {
          type: "text",
          text: "Slow down\n\nThe limit is near.",
          notice: "agent_notice",
          severity: "warning",
        },
      },
    ]);
  });

  it("reports a compaction when it ends", () => {
    const translator = createTranslator();
    const update = { sessionUpdate: "compaction_update", compactionId: "c" };
    expect(translator.update({ ...update, status: "in_progress" })).toEqual(ALIVE);
    expect(
      translator.update({
        ...update,
        status: "completed",
        summary: [{ type: "text", text: "We did this." }],
      }),
    ).toEqual([
      {
        report: "message",
        content: {
          type: "text",
          text: "The agent has compacted its memory of this session.\n\nWe did this.",
          notice: "agent_compaction",
          severity: "info",
        },
      },
    ]);
    const more = (text: string): object => ({
      ...update,
      sessionUpdate: "compaction_summary_chunk",
      content: { type: "text", text },
    });
    expect(translator.update(more("In "))).toEqual(ALIVE);
    translator.update(more("pieces."));
    expect(translator.update({ ...update, status: "completed" })).toMatchObject([
      { content: { text: expect.stringMatching(/\n\nIn pieces\.$/u) as string } },
    ]);
    expect(translator.update({ ...update, status: "failed", error: "no room" })).toMatchObject([
      { content: { text: expect.stringContaining(": no room") as string, severity: "warning" } },
    ]);
  });

  it("announces commands, modes and models, and the newest replaces earlier ones", () => {
    let about = NOTHING_KNOWN;
    const update = (message: object): void => {
      expect(createTranslator().update(message)).toEqual(ALIVE);
      about = learnAbout(about, message);
    };
    update({
      sessionUpdate: "available_commands_update",
      availableCommands: [{ name: "plan", description: "Makes a plan", input: { hint: "what" } }],
    });
    update({
      sessionUpdate: "config_option_update",
      configOptions: [
        { id: "provider", category: "model", currentValue: "x", options: [] },
        {
          id: "model",
          category: "model",
          currentValue: "big",
          options: [
            { name: "Group", options: [{ value: "big", name: "Big" }, { value: "small" }] },
          ],
        },
        { id: "level", category: "mode", currentValue: "ask", options: [{ value: "ask" }] },
      ],
    });
    update({ sessionUpdate: "current_mode_update", currentModeId: "auto" });
    expect(about).toEqual({
      commands: [{ name: "plan", description: "Makes a plan", hint: "what" }],
      mode: {
        name: null,
        description: null,
        choices: [{ id: "ask", name: "ask", description: null }],
        current: "auto",
        option: "level",
      },
      model: {
        name: null,
        description: null,
        choices: [
          { id: "big", name: "Big", description: null },
          { id: "small", name: "small", description: null },
        ],
        current: "big",
        option: "model",
      },
      others: [],
    });
  });
});

describe("any other update", () => {
  it.each([
    null,
    undefined,
    "text",
    [],
    {},
    { sessionUpdate: 5 },
    { sessionUpdate: "brand_new_update", x: 1 },
    { sessionUpdate: "agent_message_chunk" },
    { sessionUpdate: "agent_message_chunk", content: { type: "video", text: 5 } },
    { sessionUpdate: "tool_call" },
    { sessionUpdate: "tool_call_update", toolCallId: 7 },
    { sessionUpdate: "plan", entries: "none" },
    { sessionUpdate: "usage_update", used: null, size: "10" },
    { sessionUpdate: "notice" },
    { sessionUpdate: "subagent_update", sessionId: "child" },
    { sessionUpdate: "state_update", state: "idle" },
  ])("is a sign of life (%o)", (update) => {
    expect(createTranslator().update(update)).toEqual(ALIVE);
  });

  it("never throws, and produces only text that the database can store", () => {
    const update = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          sessionUpdate: fc.constantFrom(...UPDATES),
          toolCallId: fc.constantFrom("a", "b", 5),
          status: fc.constantFrom("pending", "completed", "paused", null, 7),
          content: fc.jsonValue(),
          entries: fc.jsonValue(),
          rawInput: fc.jsonValue(),
          rawOutput: fc.jsonValue(),
          _meta: fc.jsonValue(),
          configOptions: fc.jsonValue(),
          title: fc.string({ unit: "binary" }),
        },
        { requiredKeys: ["sessionUpdate"] },
      ),
    );
    fc.assert(
      fc.property(fc.array(update), (updates) => {
        const translator = createTranslator();
        for (const one of updates) {
          const reports = [
            ...translator.update(one),
            ...(translator.permission(one)?.reports ?? []),
          ];
          expect(reports.length).toBeGreaterThan(0);
          const stored = JSON.stringify(reports);
          // Not toEqual: JSON has no negative zero.
          expect(sameJson(JSON.parse(stored) as Json, reports as unknown as Json)).toBe(true);
          expect(stored).not.toMatch(/\\u0000|\\ud[89a-f]/u);
        }
        translator.endPrompt("failed");
      }),
    );
  });
});

const UPDATES = [
  "agent_message_chunk",
  "agent_thought",
  "tool_call",
  "tool_call_update",
  "tool_call_content_chunk",
  "plan",
  "plan_update",
  "usage_update",
  "session_info_update",
  "config_option_update",
  "available_commands_update",
  "notice",
  "compaction_update",
];

function chunk(sessionUpdate: string, words: string, more: object = {}): object {
  return { sessionUpdate, content: { type: "text", text: words }, ...more };
}

function text(words: string): AgentReport {
  return { report: "text", voice: "answer", part: null, text: words };
}

function textOf(reports: readonly AgentReport[]): string {
  return reports.map((report) => (report.report === "text" ? report.text : "")).join("");
}

function cut(whole: string, at: readonly number[]): string[] {
  const places = at.map((place) => place % (whole.length + 1)).toSorted((one, two) => one - two);
  return [...places, whole.length].map((place, index) =>
    whole.slice(places[index - 1] ?? 0, place),
  );
}
