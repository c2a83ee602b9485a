import { describe, expect, it } from "vitest";
import type { WholeSession } from "../../packages/protocol/src/index.ts";
import type { Sighting } from "./account.ts";
import type { Evidence, Fault, Handover, RequestRecord, StoredSession, View } from "./history.ts";
import { violationsIn } from "./invariants.ts";

const ID = "session-1";

function final(changes: Partial<WholeSession> = {}): WholeSession {
  const whole = { id: ID, state: "idle", queued: 0, lastEventId: "9", messages: [], ...changes };
  return whole as unknown as WholeSession;
}

function toolAt(seq: number): WholeSession["messages"][number] {
  return {
    id: `tool-${seq}`,
    sessionId: ID,
    runId: "run-1",
    seq,
    role: "system",
    content: { type: "tool", tool: "read", args: null, result: null },
    complete: true,
    timestamp: "2026-01-31T12:00:00.000Z",
  };
}

function sent(tag: string, changes: Partial<RequestRecord> = {}): RequestRecord {
  return {
    kind: "send",
    sessionId: ID,
    tag,
    node: "a",
    firstAt: 100,
    sentAt: 100,
    endedAt: 110,
    tookMs: (changes.endedAt ?? 110) - (changes.sentAt ?? 100),
    outcome: { ok: true, messageId: `message-${tag}` },
    ...changes,
  };
}

function message(tag: string, seq: number): StoredSession["messages"][number] {
  return {
    id: `message-${tag}`,
    runId: `run-${tag}`,
    seq,
    author: "user",
    text: `hello\n#${tag}`,
    complete: true,
  };
}

function run(tag: string, changes: Partial<StoredSession["runs"][number]> = {}) {
  return {
    id: `run-${tag}`,
    messageId: `message-${tag}`,
    status: "completed",
    attempts: 1,
    startedAt: 1,
    endedAt: 2,
    ...changes,
  };
}

function ended(tag: string, seq: number): StoredSession["log"][number] {
  return { seq, kind: "event", messageId: null, type: "run.ended", runId: `run-${tag}` };
}

const prompt = (tag: string, changes: Partial<Sighting> = {}): Sighting => ({
  at: 1_000,
  calmAt: changes.at ?? 1_000,
  node: "b",
  pid: 7,
  repo: "repo-1",
  event: "prompt",
  tag,
  others: [],
  ...changes,
});

function faultOf(node: string, kind: Fault["kind"], from: number, to: number): Fault {
  return { kind, node, from, to, calmFrom: from, calmTo: to };
}

/** Two messages, each run once, seen by one client over two connections. No invariant is violated. */
function evidence(
  changes: {
    readonly requests?: readonly RequestRecord[];
    readonly stored?: Partial<StoredSession>;
    readonly account?: readonly Sighting[];
    readonly views?: readonly View[];
    readonly faults?: readonly Fault[];
    readonly handovers?: readonly Handover[];
  } = {},
): Evidence {
  const stored: StoredSession = {
    id: ID,
    repo: "repo-1",
    final: final(),
    owner: null,
    lastSeq: 9,
    messages: [message("1", 2), message("2", 6)],
    runs: [run("1"), run("2")],
    log: [
      { seq: 2, kind: "message", messageId: "message-1", type: null, runId: null },
      ended("1", 4),
      { seq: 6, kind: "message", messageId: "message-2", type: null, runId: null },
      ended("2", 9),
    ],
    difference: null,
    ...changes.stored,
  };
  return {
    history: {
      leaseMs: 3_000,
      requests: [...(changes.requests ?? [sent("1"), sent("2", { firstAt: 200, endedAt: 210 })])],
      views: [...(changes.views ?? [view()])],
      faults: [...(changes.faults ?? [])],
      handovers: [...(changes.handovers ?? [])],
    },
    stored: { sessions: [stored] },
    account: changes.account ?? [prompt("1"), prompt("2")],
  };
}

function view(
  connections: readonly { readonly after: number; readonly ids: readonly (number | null)[] }[] = [
    { after: 0, ids: [2, null, 4] },
    { after: 4, ids: [6, 9] },
  ],
): View {
  return {
    client: "x",
    sessionId: ID,
    first: final({ lastEventId: "0" }),
    session: final(),
    connections: connections.map(({ after, ids }) => ({
      node: "a",
      at: 0,
      after,
      events: ids.map((id) => ({
        at: 0,
        event: { type: "reset", data: {}, id: id === null ? null : String(id) },
      })),
    })),
  };
}

function texts(...shown: readonly (readonly ["message" | "delta", string])[]): View {
  const [connection, ...rest] = view().connections;
  if (connection === undefined) throw new Error("unreachable: there are two");
  const events = shown.map(([type, text]) => ({
    at: 0,
    event: (type === "delta"
      ? { type, id: null, data: { messageId: "m", text } }
      : { type, id: null, data: { id: "m", content: { text } } }) as never,
  }));
  return {
    ...view(),
    connections: [{ ...connection, events: [...events, ...connection.events] }, ...rest],
  };
}

const details = (from: Evidence): readonly string[] =>
  violationsIn(from).map(({ invariant, detail }) => `${invariant}: ${detail}`);

describe("the check of a recorded history", () => {
  it("finds nothing in a correct history", () => {
    expect(violationsIn(evidence())).toEqual([]);
    expect(violationsIn(evidence({ views: [texts(["delta", "a"], ["message", "ab"])] }))).toEqual(
      [],
    );
  });

  it.each<[string, Evidence, string]>([
    [
      "a message that was acknowledged as another",
      evidence({
        requests: [
          sent("1"),
          sent("2", { firstAt: 200, sentAt: 200, endedAt: 210 }),
          sent("3", {
            firstAt: 300,
            sentAt: 300,
            endedAt: 310,
            outcome: { ok: true, messageId: "message-2" },
          }),
        ],
      }),
      "one order of the requests explains their replies: nothing can come next of send 3 (message-2)",
    ],
    [
      "a lost message",
      evidence({ stored: { messages: [message("1", 2)] }, account: [prompt("1")] }),
      "every acknowledged message exists once: 2 (message-2) is stored 0 times",
    ],
    [
      "a message that was stored twice",
      evidence({
        stored: {
          messages: [message("1", 2), message("2", 6), { ...message("2", 8), id: "other" }],
        },
        account: [],
      }),
      "every acknowledged message exists once: 2 was stored twice",
    ],
    [
      "messages in another order",
      evidence({ stored: { messages: [message("2", 2), message("1", 6)] } }),
      "messages are stored in the order of acknowledgement: 1 was acknowledged before 2 was sent, and is stored after it",
    ],
    [
      "a message that an agent got twice in one attempt",
      evidence({ account: [prompt("1"), prompt("1"), prompt("2")] }),
      "an agent gets a message at most once per recorded attempt: agents got 1 2 times in 1 attempts",
    ],
    [
      "a message that an agent got and that is not stored",
      evidence({ account: [prompt("3")] }),
      "an agent gets a message at most once per recorded attempt: an agent got 3, which is not stored",
    ],
    [
      "two agents at once",
      evidence({ account: [prompt("1", { others: [{ pid: 6, node: "a" }] })] }),
      "at most one runner per session: agent 7 of b got 1 while agent 6 of a was alive",
    ],
    [
      "two agents at once, long after the older one's node was killed",
      evidence({
        account: [prompt("1", { at: 9_000, others: [{ pid: 6, node: "a" }] })],
        faults: [faultOf("a", "kill", 3_000, 9_500)],
      }),
      "at most one runner per session: agent 7 of b got 1 while agent 6 of a was alive",
    ],
    [
      "two agents at once, while another node was paused",
      evidence({
        account: [prompt("1", { others: [{ pid: 6, node: "a" }] })],
        faults: [faultOf("c", "pause", 0, 2_000)],
      }),
      "at most one runner per session: agent 7 of b got 1 while agent 6 of a was alive",
    ],
    [
      "a write that arrived when another node owned the session",
      evidence({
        handovers: [{ sessionId: ID, from: "a", lastSeq: 4 }],
        stored: { final: final({ messages: [toolAt(4), toolAt(5)] }) },
        views: [{ ...view(), session: final({ messages: [toolAt(4), toolAt(5)] }) }],
      }),
      "a node that has lost a session writes nothing to it: node a lost the session at 4 and wrote at 5",
    ],
    [
      "a sequence number sent twice",
      evidence({ views: [view([{ after: 0, ids: [2, 4, 4, 6, 9] }])] }),
      "every client sees each sequence number once, in order, without gaps: client x: node a sent 4 after 4",
    ],
    [
      "a sequence number sent again after a reconnect",
      evidence({
        views: [
          view([
            { after: 0, ids: [2, 4] },
            { after: 4, ids: [4, 6, 9] },
          ]),
        ],
      }),
      "every client sees each sequence number once, in order, without gaps: client x: node a sent 4 after 4",
    ],
    [
      "a message that a client did not see",
      evidence({ views: [view([{ after: 0, ids: [2, 9] }])] }),
      "every client sees each sequence number once, in order, without gaps: client x: it never saw 6",
    ],
    [
      "text that was shown and then removed",
      evidence({ views: [texts(["delta", "ab"], ["message", "a"])] }),
      "every client sees each sequence number once, in order, without gaps: client x: node a removed shown text of message m",
    ],
    [
      "a client whose final session differs",
      evidence({ views: [{ ...view(), session: final({ queued: 1 }) }] }),
      "every client sees each sequence number once, in order, without gaps: client x: its final session differs from the stored one in queued (at 9 of 9)",
    ],
    [
      "a run without an end",
      evidence({ stored: { runs: [run("1"), run("2", { status: "running" })] } }),
      "every run ends exactly once, and writes nothing afterwards: run run-2 is running",
    ],
    [
      "a run with two ends",
      evidence({ stored: { log: [ended("1", 1), ended("1", 2), ended("2", 3)] } }),
      "every run ends exactly once, and writes nothing afterwards: run run-1 ended 2 times",
    ],
    [
      "a run that wrote after its end",
      evidence({
        stored: {
          messages: [
            message("1", 2),
            message("2", 6),
            { ...message("x", 5), author: "agent", runId: "run-1" },
          ],
          log: [
            ended("1", 4),
            { seq: 5, kind: "message", messageId: "message-x", type: null, runId: null },
            ended("2", 9),
          ],
        },
        views: [],
      }),
      "every run ends exactly once, and writes nothing afterwards: run run-1 ended at 4 and wrote at 5",
    ],
    [
      "a log that contradicts the row",
      evidence({ stored: { difference: "the log replays to {}, the row contains null" } }),
      "the replayed log equals the row: the log replays to {}, the row contains null",
    ],
    [
      "a session that is stuck",
      evidence({ stored: { final: final({ queued: 2 }) }, views: [] }),
      "every session settles: 2 messages are queued and no run is active",
    ],
    [
      "a request that hung",
      evidence({ requests: [sent("1", { endedAt: 20_000 })] }),
      "no request hangs: send 1 took node a 19900 ms",
    ],
  ])("finds %s", (_, faulty, detail) => {
    expect(details(faulty)).toEqual([detail]);
  });

  it("excuses effects that a fault makes unavoidable", () => {
    const others = [{ pid: 6, node: "a" }];
    const beside = [prompt("1", { at: 9_000, others })];
    const faults = (kind: Fault["kind"], from: number, to: number): readonly Fault[] => [
      faultOf("a", kind, from, to),
    ];
    for (const fault of [
      faults("pause", 0, 8_000),
      faults("kill", 5_000, Infinity),
      faults("blackhole", 2_000, 3_000),
    ]) {
      expect(details(evidence({ account: beside, faults: fault }))).toEqual([]);
    }
    expect(
      details(
        evidence({
          requests: [sent("1", { endedAt: 20_000 })],
          faults: faults("pause", 5_000, 19_000),
        }),
      ),
    ).toEqual([]);
  });
});
