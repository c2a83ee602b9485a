import type { Message, WholeSession } from "@holdfast/protocol";

/** A session with this many typical messages. */
export function sampleSession(count: number): WholeSession {
  const time = "2026-01-01T00:00:00.000Z";
  return {
    id: SESSION,
    agentId: null,
    mcpServers: {},
    directories: [],
    repoId: null,
    title: "Benchmark",
    workspace: "shared",
    worktree: null,
    changes: null,
    rewind: null,
    status: "active",
    state: "running",
    suspension: null,
    suspensions: [],
    phase: "executing",
    phaseHistory: [],
    resumeReady: false,
    errorCount: 0,
    lastError: null,
    lastErrorAt: null,
    failure: null,
    agentName: null,
    purpose: null,
    metadata: {},
    provider: "demo",
    model: null,
    next: { provider: null, model: null },
    mode: null,
    options: {},
    supportsResume: true,
    supportsSteering: false,
    delivery: "open",
    queued: 0,
    forkedFrom: null,
    version: 1,
    createdAt: time,
    updatedAt: time,
    lastActiveAt: time,
    lastTurn: { at: time, outcome: null, line: null },
    suspendedAt: null,
    suspendedReason: null,
    archivedAt: null,
    removeAt: null,
    finalizedAt: null,
    summary: null,
    repo: null,
    lastEventId: String(count),
    messages: Array.from({ length: count }, (_, index) => sampleMessage(index)),
    rewoundRuns: [],
    earlier: 0,
  };
}

/** The message that is being streamed. */
export function growingMessage(seq: number, text: string, complete: boolean): Message {
  return { ...message(seq, "agent", { type: "text", text }), complete };
}

const SESSION = "00000000-0000-7000-8000-000000000000";

function message(seq: number, role: Message["role"], content: Message["content"]): Message {
  return {
    id: `00000000-0000-7000-8000-${seq.toString(16).padStart(12, "0")}`,
    sessionId: SESSION,
    runId: SESSION,
    seq,
    role,
    content,
    complete: true,
    timestamp: new Date(seq * 1_000).toISOString(),
  };
}

/** A question, tool calls, an answer, and sometimes a notice. */
function sampleMessage(index: number): Message {
  const seq = index + 1;
  switch (index % 6) {
    case 0:
      return message(seq, "user", { type: "text", text: `Why does test ${index} fail?` });
    case 1:
      return message(seq, "agent", { type: "thought", text: "Let me look at **it**." });
    case 2:
      return message(seq, "system", {
        type: "tool",
        tool: "Bash",
        args: { command: `npm test -- ${index}` },
        result: null,
        callId: `call${index}`,
        title: `npm test -- ${index}`,
        kind: "execute",
        status: index % 60 === 2 ? "failed" : "completed",
        locations: [],
        output: [
          {
            type: "terminal",
            text: "\u001B[31mnot ok\u001B[0m 1\n".repeat(5),
            exitCode: 1,
            signal: null,
          },
        ],
      });
    case 3:
      return message(seq, "system", {
        type: "tool",
        tool: "edit",
        args: null,
        result: null,
        title: "Edit src/main.ts",
        kind: "edit",
        status: "completed",
        locations: [{ path: "/repo/src/main.ts", line: 3 }],
        output: [
          { type: "diff", path: "/repo/src/main.ts", oldText: "a\nb\nc\n", newText: "a\nB\nc\n" },
        ],
      });
    case 4:
      return message(seq, "agent", { type: "text", text: answerText(index % 48 === 4 ? 6 : 1) });
    default:
      return index % 30 === 5
        ? message(seq, "system", {
            type: "text",
            notice: "run_failed",
            text: "Failed: the agent ended.",
            detail: "stderr: out of memory",
          })
        : message(seq, "agent", { type: "text", text: "That was **all**; the tests pass." });
  }
}

/** Markdown of every kind, a little more than 2,000 characters per part. */
export function answerText(parts: number): string {
  return Array.from({ length: parts }, (_, part) => answerPart(part)).join("\n\n");
}

function answerPart(part: number): string {
  const code = Array.from(
    { length: 12 },
    (_, line) =>
      `export const value${line} = (input: string): number => input.length * ${line + part};`,
  );
  return [
    `## Part ${part + 1}: what happens`,
    `The *build* fails in \`src/main.ts\`, because **nothing** exports \`value${part}\`. See [the notes](https://example.org/${part}) for more, and mind that a longer line of plain words has to be wrapped somewhere.`,
    `1. Read the file\n2. Change what is wrong\n   - the name\n   - the type\n3. Run the tests`,
    `\`\`\`ts\n${code.join("\n")}\n\`\`\``,
    `| Test | Result |\n| --- | ---: |\n| one | ${part} |\n| two | **failed** |`,
    `> A quotation, with a second line\n> that belongs to it.`,
  ].join("\n\n");
}
