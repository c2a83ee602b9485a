import type { FeedEvent, Message, Suspension, WholeSession } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { applyEvent, MissingMessageError } from "./apply-event.ts";
import { AT, REPOSITORY, RUN, SESSION } from "./testing/session-model.ts";

const message = (seq: number, text: string): Message => ({
  id: `m${seq}`,
  sessionId: "s",
  runId: null,
  seq,
  role: "agent",
  content: { type: "text", text, partial: true },
  complete: false,
  timestamp: AT,
});
const suspension = (id: string, status: Suspension["status"] = "open"): Suspension => ({
  id,
  kind: "question",
  request: { text: "Which?" },
  createdAt: AT,
  expiresAt: null,
  sessionId: "s",
  runId: "run",
  status,
  answer: null,
  answeredBy: null,
  closedAt: null,
});
const WHOLE: WholeSession = {
  ...SESSION,
  repo: REPOSITORY,
  messages: [message(1, "a"), message(5, "b")],
  rewoundRuns: [],
  earlier: 0,
  lastEventId: "5",
};

function after(events: readonly FeedEvent[], session = WHOLE): WholeSession | null {
  let now: WholeSession | null = session;
  for (const event of events) now = now === null ? null : applyEvent(now, { id: null, ...event });
  return now;
}

describe("applying an event to a session", () => {
  it("inserts a message by its seq, or replaces it", () => {
    expect(after([{ type: "message", data: message(3, "between") }])?.messages).toEqual([
      message(1, "a"),
      message(3, "between"),
      message(5, "b"),
    ]);
    const whole = { ...message(1, "all"), complete: true };
    expect(after([{ type: "message", data: whole }])?.messages).toEqual([whole, message(5, "b")]);
    expect(after([{ type: "message", data: message(9, "c") }])?.messages).toHaveLength(3);
  });

  it("appends text to its message, and throws when the message is missing", () => {
    expect(after([{ type: "delta", data: { messageId: "m5", text: "!" } }])?.messages).toEqual([
      message(1, "a"),
      message(5, "b!"),
    ]);
    expect(() => after([{ type: "delta", data: { messageId: "m7", text: "!" } }])).toThrow(
      new MissingMessageError("m7"),
    );
    const bare = { ...WHOLE, messages: [{ ...message(1, ""), content: { type: "thought" } }] };
    expect(
      after([{ type: "delta", data: { messageId: "m1", text: "hm" } }], bare)?.messages[0]?.content,
    ).toEqual({ type: "thought", text: "hm" });
  });

  it("replaces the session's fields and keeps its messages and repository", () => {
    const now = { ...SESSION, title: "New", state: "running" as const, version: 2 };
    expect(after([{ type: "session", data: now }])).toEqual({ ...WHOLE, ...now });
  });

  it("keeps open suspensions, oldest first, until they are closed", () => {
    const { id, kind, request, createdAt, expiresAt } = suspension("w1");
    const first = { id, kind, request, createdAt, expiresAt };
    const second = { ...first, id: "w2" };
    const asked = after(
      ["w1", "w2", "w1"].map((name) => ({ type: "suspension", data: suspension(name) })),
    );
    expect(asked).toEqual({ ...WHOLE, suspension: first, suspensions: [first, second] });
    const answered = after([
      { type: "suspension", data: suspension("w1") },
      { type: "suspension", data: suspension("w2") },
      { type: "suspension", data: suspension("w1", "answered") },
    ]);
    expect(answered).toEqual({ ...WHOLE, suspension: second, suspensions: [second] });
  });

  it("counts the queue, and applies a change of phase once", () => {
    const queued = {
      messageId: "q",
      runId: "run",
      content: { type: "text", text: "x" },
      provider: null,
      model: null,
      queuedAt: AT,
    };
    expect(after([{ type: "queue", data: { queue: [queued] } }])?.queued).toBe(1);
    const phase = { from: "initializing", to: "planning", at: AT } as const;
    const changed = { ...WHOLE, phase: "planning", phaseHistory: [{ ...phase, durationMs: 0 }] };
    expect(after([{ type: "phase", data: phase }])).toEqual(changed);
    expect(
      after([
        { type: "phase", data: phase },
        { type: "phase", data: phase },
      ]),
    ).toEqual(changed);
  });

  it("D7 knows the runs that were taken back, until they return", () => {
    const run = (id: string, rewoundAt: string | null): FeedEvent => ({
      type: "run",
      data: { ...RUN, id, rewoundAt },
    });
    const rewound = after([run("r2", AT), run("r1", AT), run("r2", AT)]);
    expect(rewound).toEqual({ ...WHOLE, rewoundRuns: ["r1", "r2"] });
    expect(after([run("r2", AT), run("r2", null)])).toEqual(WHOLE);
    expect(after([run("r1", null)])).toBe(WHOLE);
  });

  it("returns null for a deleted session, and the same session for events that do not change it", () => {
    expect(after([{ type: "deleted", data: { id: "s", deleted: true } }])).toBeNull();
    expect(after([{ type: "reset", data: {} }])).toEqual(WHOLE);
  });

  it("remembers the position, and does not modify its input", () => {
    const frozen = structuredClone(WHOLE);
    const event = { type: "delta", data: { messageId: "m5", text: "!" } } as const;
    expect(applyEvent(WHOLE, { id: "6", ...event })?.lastEventId).toBe("6");
    expect(applyEvent(WHOLE, { id: null, ...event })?.lastEventId).toBe("5");
    expect(WHOLE).toEqual(frozen);
  });
});
