import { HoldfastError } from "@holdfast/client";
import type { Session } from "@holdfast/protocol";
import type { Resource } from "@modelcontextprotocol/server";
import type { Caller } from "../caller.ts";
import type { Call, Resources, Watcher } from "../surface.ts";
import { readTranscript } from "./transcript.ts";
import { parseUri, sessionUri, TEMPLATES, transcriptUri } from "./uris.ts";

const PAGE = 50;

/** Sessions and their transcripts. */
export const sessionResources: Resources = {
  templates: [
    {
      uriTemplate: TEMPLATES.session,
      name: "session",
      title: "Session",
      description: "A session as data: status, state, phase, what it waits for",
      mimeType: "application/json",
    },
    {
      uriTemplate: TEMPLATES.transcript,
      name: "transcript",
      title: "Transcript of a session",
      description: "The conversation of a session as text",
      mimeType: "text/markdown",
    },
  ],

  async list(cursor, call) {
    const { caller, signal } = call;
    const { sessionId } = await caller.ask(() => caller.rights(), signal);
    if (sessionId !== null) {
      const one = await caller.ask(
        ({ sessions }) => sessions.get(sessionId, { tail: 1, signal }),
        signal,
      );
      return { resources: resourcesOf(one) };
    }
    const query = { order: "turn", limit: PAGE, ...(cursor !== undefined && { cursor }) } as const;
    const page = await caller.ask(({ sessions }) => sessions.list(query, { signal }), signal);
    return {
      resources: page.sessions.flatMap(resourcesOf),
      ...(page.nextCursor !== null && { nextCursor: page.nextCursor }),
    };
  },

  async read(uri, call) {
    const named = parseUri(uri);
    if (named === null) return null;
    try {
      const content =
        named.kind === "session"
          ? { mimeType: "application/json", text: await sessionText(named.id, call) }
          : { mimeType: "text/markdown", text: await readTranscript(named.id, call) };
      return { contents: [{ uri, ...content }] };
    } catch (error) {
      if (error instanceof HoldfastError && error.code === "session_not_found") return null;
      throw error;
    }
  },

  async watch(caller, watcher, signal) {
    const { sessionId } = await caller.ask(() => caller.rights(), signal);
    if (sessionId === null) await watchAll(caller, watcher, signal);
    else await watchOne(sessionId, caller, watcher, signal);
  },
};

async function watchAll(caller: Caller, watcher: Watcher, signal: AbortSignal): Promise<void> {
  const known = new Set<string>();
  let isFirst = true;
  for await (const event of caller.client.events({ signal })) {
    if (event.type === "session") noteSession(event.data, known, watcher);
    else if (event.type === "deleted") watcher.listChanged();
    else if (event.type === "reset") {
      // What changed shortly before, or was missed, is among these.
      const query = { order: "turn", limit: PAGE } as const;
      const latest = await caller.ask(({ sessions }) => sessions.list(query, { signal }), signal);
      for (const session of latest.sessions) noteSession(session, known, watcher, { isNew: false });
      if (!isFirst) watcher.listChanged();
      isFirst = false;
    }
  }
}

async function watchOne(
  id: string,
  caller: Caller,
  watcher: Watcher,
  signal: AbortSignal,
): Promise<void> {
  const { lastEventId } = await caller.ask(
    ({ sessions }) => sessions.get(id, { tail: 1, signal }),
    signal,
  );
  noteSession({ id }, new Set(), watcher, { isNew: false });
  for await (const event of caller.client.sessions.events(id, { signal, after: lastEventId })) {
    if (event.type === "deleted") watcher.listChanged();
    else if (event.type === "session") watcher.changed(sessionUri(id));
    else if (event.type === "message" && event.data.complete) watcher.changed(transcriptUri(id));
  }
}

/** The first event of a session may mean that it is new. */
function noteSession(
  { id }: Pick<Session, "id">,
  known: Set<string>,
  watcher: Watcher,
  { isNew }: { readonly isNew: boolean } = { isNew: !known.has(id) },
): void {
  if (known.size >= MAX_KNOWN) known.clear();
  known.add(id);
  if (isNew) watcher.listChanged();
  watcher.changed(sessionUri(id));
  watcher.changed(transcriptUri(id));
}

const MAX_KNOWN = 10_000;

async function sessionText(id: string, { caller, signal }: Call): Promise<string> {
  const session = await caller.ask(({ sessions }) => sessions.get(id, { tail: 1, signal }), signal);
  const {
    messages: _,
    decisions: _decisions,
    lastEventId: _position,
    earlier: _earlier,
    ...rest
  } = session;
  return JSON.stringify(rest, null, 2);
}

function resourcesOf({ id, title, lastActiveAt }: Session): Resource[] {
  const name = title ?? `Session ${id}`;
  const annotations = { lastModified: lastActiveAt };
  return [
    {
      uri: transcriptUri(id),
      name: `${name}: transcript`,
      mimeType: "text/markdown",
      annotations,
    },
    { uri: sessionUri(id), name, mimeType: "application/json", annotations },
  ];
}
