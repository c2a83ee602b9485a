import { describe, expect, it } from "vitest";
import type { Message, MessageContent, Role } from "../../domain/message.ts";
import { briefingOf } from "./briefing.ts";

const LIMITS = { briefingTokens: 1_000, briefingMessages: null };

function message(role: Role, content: MessageContent): Message {
  return { id: "m", sessionId: "s", runId: null, seq: 1, role, content, complete: true, at: 0 };
}

const said = (role: Role, text: string): Message => message(role, { type: "text", text });
const brief = (history: readonly Message[], more = {}) =>
  briefingOf(history, "So far:", { ...LIMITS, ...more });

describe("a briefing", () => {
  it("is what was said, who said it, and that tools were used, in order (B7)", () => {
    const history = [
      said("user", "Fix the build."),
      message("agent", { type: "thought", text: "hm" }),
      message("system", { type: "tool", tool: "read", title: "Read a.ts", args: {}, result: null }),
      said("agent", "Done."),
      said("system", "Cancelled: enough"),
    ];
    expect(brief(history)).toEqual({
      text: [
        "So far:",
        "User: Fix the build.",
        "Agent: used Read a.ts",
        "Agent: Done.",
        "Note: Cancelled: enough",
        "[end]",
      ].join("\n\n"),
      given: 4,
      of: 4,
    });
  });

  it("is none where nothing was said", () => {
    expect(brief([])).toBeNull();
    expect(brief([message("agent", { type: "thought", text: "hm" })])).toBeNull();
  });

  it("keeps to its budget with the newest messages whole, and says what it leaves out (B7)", () => {
    const history = Array.from({ length: 50 }, (_, index) =>
      said("user", `${index} ${"x".repeat(300)}`),
    );
    const briefing = brief(history);
    expect(briefing?.text.length).toBeLessThan(1_000 * 4 + 200);
    expect(briefing?.of).toBe(50);
    const given = briefing?.given ?? 0;
    expect(briefing?.text).toContain(`[${50 - given} older messages are left out]`);
    expect(briefing?.text).toContain(`User: 49 ${"x".repeat(300)}`);
    expect(briefing?.text).not.toContain(`User: ${49 - given} `);
  });

  it("can be pruned to the last so many messages (B7)", () => {
    const history = ["a", "b", "c"].map((text) => said("user", text));
    expect(brief(history, { briefingMessages: 2 })).toMatchObject({
      given: 2,
      of: 3,
      text: expect.stringContaining("[1 older messages are left out]"),
    });
  });

  it("cuts a single message that would fill it, and shows the cut (B7)", () => {
    const briefing = brief([said("agent", "y".repeat(10_000)), said("user", "and now?")]);
    expect(briefing?.given).toBe(2);
    expect(briefing?.text).toContain("y […]");
  });
});
