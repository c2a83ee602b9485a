/** Files of `.claude/session`, written by GAIA's scripts or changed by people and crashes. */
export const CORPUS: Readonly<Record<string, object>> = {
  "agent-20260108-180530-abc12345": {
    agent_id: "agent-20260108-180530-abc12345",
    agent_name: "terraform-architect",
    purpose: "approval_workflow",
    created_at: "2026-01-08T18:05:30Z",
    last_updated: "2026-01-08T18:10:15Z",
    phase: "approval",
    metadata: { task_id: "T001", tags: ["terraform", "infrastructure"] },
    resume_ready: true,
    history: [
      change("initializing", "investigating", "2026-01-08T18:06:00Z"),
      change("investigating", "approval", "2026-01-08T18:10:15Z"),
    ],
    error_count: 0,
    last_error: null,
  },
  /** Just created, by a call without a name. */
  "agent-20260109-070001-0a1b2c3d": {
    agent_id: "agent-20260109-070001-0a1b2c3d",
    agent_name: "unknown",
    purpose: "general",
    created_at: "2026-01-09T07:00:01.048213+00:00",
    last_updated: "2026-01-09T07:00:01.048213+00:00",
    phase: "initializing",
    metadata: {},
    resume_ready: false,
    history: [],
    error_count: 0,
    last_error: null,
  },
  /** Finalized: the last change is not in the history, and the seconds have millionths. */
  "agent-20260109-081500-1f2e3d4c": {
    agent_id: "agent-20260109-081500-1f2e3d4c",
    agent_name: "gitops-operator",
    purpose: "investigation",
    created_at: "2026-01-09T08:15:00.000001+00:00",
    last_updated: "2026-01-09T08:44:12.900512+00:00",
    phase: "completed",
    metadata: { findings: ["issue A", "issue B", "issue C"] },
    resume_ready: false,
    history: [
      change("initializing", "investigating", "2026-01-09T08:16:10.120000+00:00"),
      change("investigating", "executing", "2026-01-09T08:40:00+00:00"),
    ],
    error_count: 0,
    last_error: null,
    finalized_at: "2026-01-09T08:44:12.900512+00:00",
    summary: "Desplegado en producción ✓",
    duration_seconds: 1752.900511,
  },
  /** Failed, with the error as the scripts write it. */
  "agent-20260110-120000-deadbeef": {
    agent_id: "agent-20260110-120000-deadbeef",
    agent_name: "cloud-troubleshooter",
    purpose: "investigation",
    created_at: "2026-01-10T12:00:00.500000+00:00",
    last_updated: "2026-01-10T12:20:00.750000+00:00",
    phase: "failed",
    metadata: { cluster: "eks-1", attempts: 3, ratio: 0.1, nested: { deep: [1, [2, [3, null]]] } },
    resume_ready: false,
    history: [change("initializing", "failed", "2026-01-10T12:20:00.750000+00:00")],
    error_count: 3,
    last_error: {
      message: "Error: connection refused\n\tat 10.0.0.1:443",
      timestamp: "2026-01-10T12:20:00.750000+00:00",
    },
  },
  /** Resumed after it was finalized: the scripts keep the final fields. */
  "agent-20260111-090000-cafe0001": {
    agent_id: "agent-20260111-090000-cafe0001",
    agent_name: "terraform-architect",
    purpose: "approval_workflow",
    created_at: "2026-01-11T09:00:00+00:00",
    last_updated: "2026-01-11T10:00:00+00:00",
    phase: "planning",
    metadata: {},
    resume_ready: true,
    history: [
      change("initializing", "executing", "2026-01-11T09:01:00+00:00"),
      change("completed", "planning", "2026-01-11T10:00:00+00:00"),
    ],
    error_count: 0,
    last_error: null,
    finalized_at: "2026-01-11T09:30:00+00:00",
    summary: "First half done",
    duration_seconds: 1800,
  },
  /** Switched off by hand. */
  "agent-20260111-110000-0ff0ff00": {
    agent_id: "agent-20260111-110000-0ff0ff00",
    agent_name: "terraform-architect",
    purpose: "approval_workflow",
    created_at: "2026-01-11T11:00:00",
    last_updated: "2026-01-11T11:05:00.25",
    phase: "approval",
    metadata: { note: "do not resume" },
    resume_ready: false,
    history: [change("initializing", "approval", "2026-01-11T11:05:00")],
    error_count: 1,
    last_error: "approval timed out",
  },
  /** Fields of another version, at the top and in the history. */
  "agent-20260112-100000-beef0002": {
    schema_version: 2,
    agent_id: "agent-20260112-100000-beef0002",
    agent_name: "gitops-operator",
    purpose: null,
    created_at: "2026-01-12T10:00:00-05:00",
    last_updated: "2026-01-12T16:30:00+01:00",
    phase: "executing",
    metadata: { gaiaState: "mine", permissionGrants: [{ id: "g1" }], permissions: ["read"] },
    resume_ready: false,
    history: [
      {
        ...change("initializing", "executing", "2026-01-12T15:20:00Z"),
        actor: "user",
        took: 1200.5,
      },
      { ...change("executing", "executing", "2026-01-12T15:25:00Z"), note: null },
    ],
    error_count: 0,
    last_error: null,
    episode_ids: ["ep_123", "ep_124"],
    parent: { agent_id: "agent-20260112-095900-00000000", reason: null },
    outcome: "",
  },
  /** Without all optional fields. */
  minimal: { phase: "validating", created_at: "2026-01-12 09:00:00" },
  "agent.with:odd_name-1": {
    agent_id: "agent.with:odd_name-1",
    agent_name: "エージェント",
    purpose: '🚀 emoji, "quotes", back\\slashes and\nlines',
    created_at: "2026-01-13T00:00:00.999999Z",
    last_updated: null,
    phase: "investigating",
    metadata: null,
    resume_ready: null,
    history: null,
    error_count: null,
    last_error: null,
  },
  "agent-20260114-000000-00000003": {
    agent_id: "agent-20260114-000000-00000003",
    agent_name: "",
    purpose: "",
    created_at: "2026-01-14T00:00:00Z",
    last_updated: "2026-01-13T23:59:00Z",
    phase: "abandoned",
    metadata: { "": "", "a.b": 1, __proto__x: true, big: 9007199254740991, small: -1.5e-7 },
    resume_ready: false,
    history: [],
    error_count: 0,
    last_error: { code: 7, detail: ["no message"] },
    finalized_at: null,
    summary: null,
    duration_seconds: null,
  },
  /** Many changes: more than a session remembers. */
  "agent-20260115-000000-00000004": {
    agent_id: "agent-20260115-000000-00000004",
    agent_name: "loop",
    purpose: "general",
    created_at: "2026-01-15T00:00:00Z",
    last_updated: "2026-01-15T00:04:10Z",
    phase: "planning",
    metadata: {},
    resume_ready: true,
    history: Array.from({ length: 250 }, (_, index) =>
      change(
        index % 2 === 0 ? "investigating" : "planning",
        index % 2 === 0 ? "planning" : "investigating",
        new Date(Date.UTC(2026, 0, 15) + index * 1000).toISOString().replace(".000Z", "+00:00"),
      ),
    ),
    error_count: 0,
    last_error: null,
  },
  /** Exported by Holdfast, without an agent ID. */
  "019a82c4-7d3e-7a10-9c55-0b1f5f0c2a11": {
    agent_id: "019a82c4-7d3e-7a10-9c55-0b1f5f0c2a11",
    agent_name: "ada",
    purpose: null,
    created_at: "2026-01-16T00:00:00Z",
    last_updated: "2026-01-16T00:00:00Z",
    phase: "initializing",
    metadata: {},
    resume_ready: false,
    history: [],
    error_count: 0,
    last_error: null,
  },
};

function change(from: string, to: string, timestamp: string) {
  return { from_phase: from, to_phase: to, timestamp };
}

/** The state with its times as an export writes them: in UTC, with microseconds where there is a fraction. */
export function inUtc(state: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { history, last_error: error } = state;
  const own = Object.entries(state).map(([name, value]) => [
    name,
    ["created_at", "last_updated", "finalized_at"].includes(name) ? timeInUtc(value) : value,
  ]);
  return {
    ...Object.fromEntries(own),
    ...(Array.isArray(history) && { history: history.map(withTimestampInUtc) }),
    ...(error !== undefined && { last_error: withTimestampInUtc(error) }),
  };
}

function withTimestampInUtc(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("timestamp" in value)) return value;
  return { ...value, timestamp: timeInUtc(value.timestamp) };
}

function timeInUtc(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const [, seconds = "", fraction = "", zone = ""] = /^(.{19})(?:\.(\d+))?(.*)$/u.exec(value) ?? [];
  const offset = zone === "" ? "Z" : zone.replace(/^([+-]\d\d)(\d\d)$/u, "$1:$2");
  const utc = new Date(`${seconds.replace(" ", "T")}${offset}`).toISOString().slice(0, 19);
  return `${utc}${fraction === "" ? "" : `.${fraction.padEnd(6, "0")}`}+00:00`;
}
