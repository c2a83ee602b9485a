import type { StreamEvent } from "@holdfast/client";
import { describe, expect, it } from "vitest";
import { createPaint } from "../terminal/paint.ts";
import { createScreen } from "../terminal/screen.ts";
import { fakeTerminal } from "../terminal/testing/fake-terminal.ts";
import { delta, message, shown, tool } from "../terminal/testing/samples.ts";
import { createTranscriptView, type TranscriptView } from "./transcript-view.ts";

const CLEAR = "\r\u001B[K";

function open(isTerminal = false): {
  view: TranscriptView;
  out: () => string;
  err: () => string;
  screen: () => string;
} {
  const { terminal, stdout, stderr, screen } = fakeTerminal({ isTerminal });
  const paint = createPaint({ colour: false });
  const view = createTranscriptView({
    screen: createScreen(terminal),
    paint: { answer: paint, beside: paint },
    columns: () => 80,
    isShown: ({ runId }) => runId === "r1",
  });
  return { view, out: stdout, err: stderr, screen };
}

const growing = (text: string, id = "a1") =>
  message({ id, content: { type: "text", text, partial: true }, complete: false });
const whole = (text: string, id = "a1") => message({ id, content: { type: "text", text } });
const tell = (view: TranscriptView, ...events: readonly StreamEvent[]): void => {
  for (const event of events) view.take(event);
  view.end();
};

describe("the view of a transcript", () => {
  it("shows growing text once, even if events repeat (P4)", () => {
    const { view, out } = open();
    tell(
      view,
      shown(growing("Hel")),
      delta("a1", "lo "),
      delta("a1", "you"),
      // After a lost connection: the message again from its beginning, then complete.
      shown(growing("Hel")),
      delta("a1", "lo "),
      delta("a1", "you there"),
      shown(whole("Hello you there.")),
      shown(whole("Hello you there.")),
      delta("a1", "late"),
    );
    expect(out()).toBe("Hello you there.\n");
  });

  it("shows nothing of other runs, neither messages nor deltas", () => {
    const { view, out, err } = open();
    tell(
      view,
      shown({ ...growing("no"), runId: "r2" }),
      delta("a1", "t me"),
      delta("unknown", "!"),
    );
    expect(out() + err()).toBe("");
  });

  it("neutralises control characters of an agent, also across two pieces", () => {
    const { view, out, err } = open();
    tell(
      view,
      shown(growing("a\u001B")),
      delta("a1", "[2Jb\u009B"),
      shown(whole("a\u001B[2Jb\u009B1mc")),
      shown(
        message({
          id: "t",
          content: tool("completed", { title: "x\u001B]0;y\u0007\rz", kind: "\bk" }),
        }),
      ),
      shown(
        message({
          id: "n",
          role: "system",
          content: { type: "text", text: "\u001B[1mno", notice: "run_failed" },
        }),
      ),
      shown(
        message({
          id: "p",
          content: { type: "plan", steps: [{ content: "\u001Bc", status: "pending" }] },
        }),
      ),
      shown(message({ id: "h", content: { type: "thought", text: "\u202Eh" } })),
      shown(message({ id: "l", content: { type: "link", uri: "file:\u001B[x", name: "\u0007" } })),
    );
    expect(out() + err()).not.toMatch(/(?![\n\t])\p{Cc}|\p{Bidi_Control}/u);
    expect(out()).toBe("a␛[2Jb<U+009B>1mc\n");
    expect(err()).toBe("✓ x␛]0;y␇␍z  ␈k\n— ␛[1mno\n☐ ␛c\n∴ <U+202E>h\n[link] ␇ file:␛[x\n");
  });

  it("shows each tool on one line, and on another one when it has ended", () => {
    const { view, err } = open();
    tell(
      view,
      shown(message({ id: "t", content: tool("pending"), complete: false })),
      shown(message({ id: "t", content: tool("in_progress"), complete: false })),
      shown(message({ id: "u", content: tool("completed", { title: "Read a", kind: "read" }) })),
      shown(
        message({ id: "t", content: tool("failed", { result: "2 failed\n\nof 9\nlog\nmore" }) }),
      ),
      shown(message({ id: "t", content: tool("failed") })),
    );
    expect(err()).toBe(
      "● npm test  execute\n✓ Read a  read\n✗ npm test  execute\n  2 failed\n  of 9\n  log\n",
    );
  });

  it("replaces the line of a tool on a terminal when it ends", () => {
    const { view, screen } = open(true);
    tell(
      view,
      shown(message({ id: "t", content: tool("pending", { title: "Tool" }), complete: false })),
      shown(message({ id: "t", content: tool("in_progress"), complete: false })),
      shown(message({ id: "t", content: tool("completed") })),
    );
    expect(screen()).toBe(
      `● Tool  execute${CLEAR}● npm test  execute${CLEAR}✓ npm test  execute\n`,
    );
  });

  it("does not replace the line of another tool", () => {
    const { view, screen } = open(true);
    const named = (id: string, status: string, complete: boolean) =>
      shown(message({ id, content: tool(status, { title: id, callId: id }), complete }));
    tell(
      view,
      named("a", "in_progress", false),
      named("b", "in_progress", false),
      named("a", "completed", true),
      named("b", "failed", true),
    );
    expect(screen()).toBe("● a  execute\n● b  execute\n✓ a  execute\n✗ b  execute\n");
  });

  it("shows the changes of a tool, at most twenty lines of each", () => {
    const { view, err } = open();
    const diff = (path: string, oldText: string | null, newText: string) => ({
      type: "diff",
      path,
      oldText,
      newText,
    });
    const lines = Array.from({ length: 30 }, (_, at) => `l${at}`).join("\n");
    tell(
      view,
      shown(
        message({
          content: tool("completed", {
            output: [diff("a.ts", "one\ntwo\n", "one\n2\n"), diff("b.ts", null, lines)],
          }),
        }),
      ),
    );
    expect(err().split("\n").slice(0, 6)).toEqual([
      "✓ npm test  execute",
      "  a.ts +1 −1",
      "    one",
      "  - two",
      "  + 2",
      "  b.ts +30 −0",
    ]);
    expect(err()).toContain("  + l19\n    … 10 more lines\n");
    expect(err()).not.toContain("l20");
  });

  it("shows a plan as a checklist, then only changed steps", () => {
    const plan = (...statuses: readonly string[]) =>
      shown(
        message({
          id: "p",
          complete: false,
          content: {
            type: "plan",
            steps: statuses.map((status, at) => ({ content: `step ${at}`, status })),
          },
        }),
      );
    const { view, err } = open();
    tell(
      view,
      plan("in_progress", "pending"),
      plan("in_progress", "pending"),
      plan("completed", "in_progress"),
      plan("completed", "completed", "pending"),
    );
    expect(err()).toBe("▸ step 0\n☐ step 1\n☑ step 0\n▸ step 1\n☑ step 0\n☑ step 1\n☐ step 2\n");
  });

  it("shows the beginning of a thought when it is complete", () => {
    const long = `first\n${"w ".repeat(300)}`;
    const { view, err } = open();
    tell(
      view,
      shown(message({ id: "h", complete: false, content: { type: "thought", text: "fir" } })),
      delta("h", `st\n${"w ".repeat(300)}`),
      shown(message({ id: "h", content: { type: "thought", text: long } })),
    );
    expect(err()).toMatch(/^∴ first (?:w ?)+…\n$/u);
    expect(err().length).toBeLessThan(250);
  });

  it("shows once that the agent is thinking, on a terminal", () => {
    const { view, screen } = open(true);
    tell(
      view,
      shown(message({ id: "h", complete: false, content: { type: "thought", text: "a" } })),
      delta("h", "b"),
      shown(message({ id: "h", content: { type: "thought", text: "ab" } })),
    );
    expect(screen()).toBe(`∴ Thinking…${CLEAR}∴ ab\n`);
  });

  it("shows user messages, notices and phases on separate lines", () => {
    const { view, out, err } = open();
    tell(
      view,
      shown(message({ id: "u", role: "user", content: { type: "text", text: "do\nit" } })),
      shown(
        message({
          id: "v",
          role: "user",
          content: {
            type: "parts",
            parts: [
              { type: "text", text: "look" },
              { type: "image", uri: "a.png" },
            ],
          },
        }),
      ),
      shown(
        message({
          id: "n",
          role: "system",
          content: {
            type: "text",
            text: "claude goes on\nin place of demo.",
            notice: "agent_memory",
          },
        }),
      ),
      {
        id: null,
        type: "phase",
        data: { from: "initializing", to: "planning", at: "2026-01-31T12:00:00.000Z" },
      },
      shown(growing("An answer")),
      shown(message({ id: "i", content: { type: "image", mimeType: "image/png", uri: "b.png" } })),
    );
    expect(out()).toBe("An answer\n");
    expect(err()).toBe(
      "> do\n> it\n> look\n> [image] a.png\n— claude goes on in place of demo.\n— Phase: planning\n[image] b.png\n",
    );
  });

  it("knows the running tool calls", () => {
    const { view } = open();
    const call = tool("in_progress");
    view.take(shown(message({ id: "t", content: call, complete: false })));
    expect([view.toolOf("t1"), view.toolOf("t2")]).toEqual([call, null]);
    view.take(shown(message({ id: "t", content: tool("completed") })));
    expect(view.toolOf("t1")).toBeNull();
  });
});
