import type { ListSessionsQuery, Session, SessionList } from "@holdfast/protocol";
import type { SessionPage } from "../../runtime/runtime.ts";
import type { SessionSnapshot } from "../../runtime/session-snapshot.ts";
import { toWireSession, toWireSessionList } from "./to-wire.ts";

interface EncodedList {
  readonly list: SessionList;
  readonly text: string;
}

type ListQuery = Pick<ListSessionsQuery, "limit" | "offset" | "q">;

interface EncodedSession {
  readonly session: Session;
  readonly text: string;
}

/** Encodes pages of sessions. An unchanged page, and an unchanged session in it, is encoded once. */
export function createListEncoder(): (page: SessionPage, query: ListQuery) => EncodedList {
  const lists = new WeakMap<SessionPage, EncodedList>();
  const sessions = new WeakMap<SessionSnapshot, EncodedSession>();
  const encodeSession = (snapshot: SessionSnapshot): EncodedSession => {
    const cached = sessions.get(snapshot);
    if (cached !== undefined) return cached;
    const session = toWireSession(snapshot);
    const encoded = { session, text: JSON.stringify(session) };
    sessions.set(snapshot, encoded);
    return encoded;
  };
  return (page, query) => {
    const cached = query.q === undefined ? lists.get(page) : undefined;
    if (cached !== undefined) return cached;
    const rows = page.sessions.map(encodeSession);
    const { sessions: _, ...rest } = toWireSessionList({ ...page, sessions: [] }, query);
    const texts = rows.map(({ text }) => text).join(",");
    const encoded = {
      list: { sessions: rows.map(({ session }) => session), ...rest },
      text: `{"sessions":[${texts}],${JSON.stringify(rest).slice(1)}`,
    };
    if (query.q === undefined) lists.set(page, encoded);
    return encoded;
  };
}
