/** A time, and the form in which Prisma stores it in SQLite. */
export interface Moment {
  readonly at: number;
  readonly form: "integer" | "current_timestamp" | "iso" | "offset";
}

export type PortalValue = string | number | boolean | null | Moment;
export type PortalRecord = Readonly<Record<string, PortalValue>>;

export interface PortalSession {
  readonly id: string;
  readonly repoId: string;
  readonly status: string;
  readonly createdAt: Moment;
  readonly updatedAt: Moment;
  /** The columns of the second release. */
  readonly resuming: {
    readonly lastActiveAt: Moment | null;
    readonly supportsResume: boolean;
    readonly resumeData: string | null;
  };
}

export interface PortalMessage {
  readonly id: string;
  readonly sessionId: string;
  readonly role: string;
  readonly content: string;
  readonly timestamp: Moment;
}

export const EIGHT = Date.UTC(2025, 2, 1, 8);
const MINUTE_MS = 60_000;
const TOOL = '{"type":"tool","tool":"grep","args":{"pattern":"Größe"},"result":{"matches":3}}';
const NEVER_RESUMED = { lastActiveAt: null, supportsResume: false, resumeData: null };

export const REPOS: readonly PortalRecord[] = [
  repo("alpha", "/srv/work/alpha"),
  repo("beta", "/srv/work/beta"),
  repo("beta-again", "/srv/work/beta"),
];

export const SESSIONS: readonly PortalSession[] = [
  {
    id: "s-active",
    repoId: "alpha",
    status: "active",
    createdAt: integer(0, 1),
    updatedAt: iso(30, 250),
    resuming: { lastActiveAt: integer(10), supportsResume: true, resumeData: '{"id": "r1"}' },
  },
  {
    id: "s-suspended",
    repoId: "alpha",
    status: "suspended",
    createdAt: currentTimestamp(1),
    updatedAt: integer(40, 123),
    resuming: { lastActiveAt: iso(35, 500), supportsResume: true, resumeData: "not JSON" },
  },
  {
    id: "s-completed",
    repoId: "beta",
    status: "completed",
    createdAt: offset(2, 750),
    updatedAt: integer(41, 999),
    resuming: { lastActiveAt: integer(20), supportsResume: false, resumeData: null },
  },
  {
    id: "s-cancelled",
    repoId: "beta-again",
    status: "cancelled",
    createdAt: iso(3, 125),
    updatedAt: offset(42, 1),
    resuming: { lastActiveAt: integer(21), supportsResume: true, resumeData: "null" },
  },
  {
    id: "s-error",
    repoId: "alpha",
    status: "error",
    createdAt: integer(4),
    updatedAt: currentTimestamp(43),
    // Earlier than its creation, because of a wrong clock.
    resuming: { lastActiveAt: integer(1), supportsResume: false, resumeData: null },
  },
  {
    id: "s-paused",
    repoId: "alpha",
    status: "paused",
    createdAt: integer(5),
    updatedAt: integer(5),
    resuming: NEVER_RESUMED,
  },
  {
    id: "s-homeless",
    repoId: "gone",
    status: "active",
    createdAt: integer(6),
    updatedAt: integer(45),
    resuming: NEVER_RESUMED,
  },
];

type MessageTuple = readonly [
  id: string,
  sessionId: string,
  timestamp: Moment,
  role: string,
  content: string,
];

/** Sorted neither by time nor by the text of the time. */
const MESSAGE_TUPLES: readonly MessageTuple[] = [
  ["a5", "s-active", integer(25, 3), "agent", '{"type":"text","text":"Done.","partial":false}'],
  ["a4", "s-active", offset(20, 125), "system", TOOL],
  ["a1", "s-active", currentTimestamp(5), "user", '{"type":"text","text":"Rename Größe to size"}'],
  [
    "a3",
    "s-active",
    iso(6, 500),
    "system",
    '{"type":"plan","steps":[{"title":"look"},{"title":"rename"}]}',
  ],
  ["a2", "s-active", iso(6, 500), "agent", '{"type":"text","text":"I shall.","partial":true}'],
  ["b1", "s-suspended", integer(7), "user", "plain words, no JSON"],
  ["b2", "s-suspended", integer(8), "assistant", '{"type":"text","text":"a role of its own"}'],
  ["b3", "s-suspended", integer(9), "agent", '{"text":"no type"}'],
  ["b4", "s-suspended", integer(10), "agent", '{"type":7,"text":"no name of a type"}'],
  ["b5", "s-suspended", integer(11), "agent", "[1,2]"],
  ["c1", "s-completed", integer(12), "user", '{"type":"text","text":"Thank you"}'],
  [
    "d1",
    "s-cancelled",
    currentTimestamp(13),
    "system",
    '{"type":"text","text":"Cancelled by the user"}',
  ],
  ["f1", "s-homeless", integer(14), "user", '{"type":"text","text":"Where am I?"}'],
  ["g1", "s-gone", integer(15), "user", '{"type":"text","text":"Nobody listens"}'],
];

export const MESSAGES: readonly PortalMessage[] = MESSAGE_TUPLES.map(toMessage);

/** A session with more messages than one batch. */
export function longSession(messages: number): {
  readonly session: PortalSession;
  readonly messages: readonly PortalMessage[];
} {
  const session: PortalSession = {
    id: "s-long",
    repoId: "alpha",
    status: "active",
    createdAt: integer(0),
    updatedAt: integer(messages),
    resuming: NEVER_RESUMED,
  };
  const all = Array.from({ length: messages }, (_, index) =>
    // The order of the IDs is the reverse of the order of the times.
    toMessage([
      `l${messages - index + 10_000}`,
      session.id,
      integer(index),
      "user",
      `{"type":"text","text":"word${index}"}`,
    ]),
  );
  return { session, messages: all };
}

function repo(id: string, path: string): PortalRecord {
  return {
    id,
    name: id,
    path,
    url: null,
    branch: "trunk",
    host: `host of ${id}`,
    stars: 3,
    createdAt: integer(-60),
    updatedAt: iso(-30),
    syncedAt: integer(-10),
  };
}

function toMessage([id, sessionId, timestamp, role, content]: MessageTuple): PortalMessage {
  return { id, sessionId, role, content, timestamp };
}

function moment(form: Moment["form"], minutes: number, ms: number): Moment {
  return { at: EIGHT + minutes * MINUTE_MS + ms, form };
}

function integer(minutes: number, ms = 0): Moment {
  return moment("integer", minutes, ms);
}

function currentTimestamp(minutes: number): Moment {
  return moment("current_timestamp", minutes, 0);
}

function iso(minutes: number, ms = 0): Moment {
  return moment("iso", minutes, ms);
}

function offset(minutes: number, ms = 0): Moment {
  return moment("offset", minutes, ms);
}
