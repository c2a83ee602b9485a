import { UnreadableRow } from "./parse.ts";
import { fromSessionRow } from "./session-row.ts";
import type { SessionRecord } from "../store.ts";
import type { SessionRow } from "../tables.ts";

/** What stands for a column that cannot be read. The status comes before the state, which must go with it. */
const IN_PLACE = {
  status: "error",
  state: "idle",
  phase: "initializing",
  phaseHistory: "[]",
  metadata: "{}",
  resumeData: null,
  delivery: "open",
  forkedFrom: null,
  createdAt: 0,
  updatedAt: 0,
  lastActiveAt: 0,
  suspendedAt: null,
  suspendedReason: null,
  archivedAt: null,
  failedAt: null,
  finalizedAt: null,
} as const satisfies Partial<SessionRow>;

/** What is known of a session that cannot be read. Its failure says why it cannot. */
export function salvaged(row: SessionRow, reason: string): SessionRecord {
  let known: SessionRow = { ...row, ...IN_PLACE };
  for (const column of Object.keys(IN_PLACE)) {
    const more = { ...known, [column]: Reflect.get(row, column) };
    if (isReadable(more)) known = more;
  }
  const failure = `The session cannot be read: ${reason}.`;
  return { ...fromSessionRow({ ...known, failure }, []), removeAt: null };
}

function isReadable(row: SessionRow): boolean {
  try {
    fromSessionRow(row, []);
    return true;
  } catch (error) {
    if (error instanceof UnreadableRow) return false;
    throw error;
  }
}
