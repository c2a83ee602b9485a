import type { ListSessionsQuery, Session, SessionList } from "@holdfast/protocol";
import type { SessionPage } from "../../runtime/runtime.ts";
import type { SessionSnapshot } from "../../runtime/session-snapshot.ts";
import { toWireSession, toWireSessionList } from "./to-wire.ts";

interface EncodedList {
  readonly list: SessionList;
  readonly text: string;
}

type Shown = Pick<ListSessionsQuery, "limit" | "offset" | "q">;

interface EncodedSession {
  readonly session: Session;
  readonly text: string;
}

/** Pages as they go over the wire: made once, as long as it is the same page; and so is each session in them. */
export function createListEncoder(): (page: SessionPage, query: Shown) => EncodedList {
  const encoded = new WeakMap<SessionPage, EncodedList>();
  const encodedSessions = new WeakMap<SessionSnapshot, EncodedSession>();
  const encodeSession = (snapshot: SessionSnapshot): EncodedSession => {
    const known = encodedSessions.get(snapshot);
    if (known !== undefined) return known;
    const session = toWireSession(snapshot);
    const made = { session, text: JSON.stringify(session) };
    encodedSessions.set(snapshot, made);
    return made;
  };
  return (page, query) => {
    const known = query.q === undefined ? encoded.get(page) : undefined;
    if (known !== undefined) return known;
    const sessions = page.sessions.map(encodeSession);
    const rest = toWireSessionList({ ...page, sessions: [] }, query);
    const { sessions: _, ...besides } = rest;
    const texts = sessions.map(({ text }) => text).join(",");
    const made = {
      list: { ...rest, sessions: sessions.map(({ session }) => session) },
      text: `{"sessions":[${texts}],${JSON.stringify(besides).slice(1)}`,
    };
    if (query.q === undefined) encoded.set(page, made);
    return made;
  };
}
