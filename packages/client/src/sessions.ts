import {
  BUNDLE_MEDIA_TYPE,
  type CancelRequest,
  type CreatedSession,
  type CreateSessionRequest,
  type EditQueuedRequest,
  type FailRequest,
  type FinalizeRequest,
  type ForkRequest,
  type GrantsReply,
  type ListSessionsQuery,
  type MessagesQuery,
  type MessagesReply,
  type QueueReply,
  type RawSession,
  type ResumeDecision,
  type RunsQuery,
  type RunsReply,
  type SendMessageReply,
  type SendMessageRequest,
  type Session,
  type SessionList,
  type ShouldResumeQuery,
  type UpdateSessionRequest,
  type WholeSession,
} from "@holdfast/protocol";
import type { StreamEvent } from "./apply-event.ts";
import type { BundleSource } from "./bundle-body.ts";
import {
  segment,
  textChunks,
  type CallOptions,
  type Connection,
  type Request,
  type WriteOptions,
} from "./connection.ts";
import { streamEvents, type OnConnection } from "./event-stream.ts";
import { follow, type Followed } from "./follow.ts";

export interface Sessions {
  create(request?: CreateSessionRequest, options?: WriteOptions): Promise<CreatedSession>;
  list(query?: Partial<ListSessionsQuery>, options?: CallOptions): Promise<SessionList>;
  /** The session with its repository and all its messages. */
  get(id: string, options?: CallOptions): Promise<WholeSession>;
  /** The stored row, even when it cannot be parsed. */
  raw(id: string, options?: CallOptions): Promise<RawSession>;
  update(id: string, changes: UpdateSessionRequest, options?: WriteOptions): Promise<Session>;
  /** Permanently, in any state. Returns the deleted session, or the readable part of a damaged one. */
  delete(id: string, options?: WriteOptions): Promise<Session>;

  send(id: string, message: SendMessageRequest, options?: WriteOptions): Promise<SendMessageReply>;
  prompt(id: string, text: string, options?: WriteOptions): Promise<SendMessageReply>;
  messages(
    id: string,
    query?: Partial<MessagesQuery>,
    options?: CallOptions,
  ): Promise<MessagesReply>;

  /** The runs with their outcome, what they waited for and who answered. */
  runs(id: string, query?: Partial<RunsQuery>, options?: CallOptions): Promise<RunsReply>;

  /** Accepted messages that no agent has received yet. */
  queue(id: string, options?: CallOptions): Promise<QueueReply>;
  editQueued(
    id: string,
    messageId: string,
    edit: EditQueuedRequest,
    options?: WriteOptions,
  ): Promise<QueueReply>;
  withdrawQueued(id: string, messageId: string, options?: WriteOptions): Promise<QueueReply>;

  cancel(id: string, request?: CancelRequest, options?: WriteOptions): Promise<Session>;
  /** Makes a suspended session active again. */
  resume(id: string, options?: WriteOptions): Promise<Session>;
  /** Answers a suspension. */
  answer(
    id: string,
    answer: { readonly suspensionId: string; readonly answer: unknown },
    options?: WriteOptions,
  ): Promise<Session>;
  /** Permissions granted for the rest of the session. */
  grants(id: string, options?: CallOptions): Promise<GrantsReply>;
  /** The agent must ask again. Returns the remaining grants. */
  revokeGrant(id: string, grantId: string, options?: WriteOptions): Promise<GrantsReply>;
  archive(id: string, options?: WriteOptions): Promise<Session>;
  finalize(id: string, request: FinalizeRequest, options?: WriteOptions): Promise<Session>;
  fail(id: string, request: FailRequest, options?: WriteOptions): Promise<Session>;
  /** Creates an idle session with the history up to a message, or the whole history. */
  fork(id: string, request?: ForkRequest, options?: WriteOptions): Promise<Session>;
  /** Options missing in the query default to the server's configuration. */
  shouldResume(
    id: string,
    query?: ShouldResumeQuery,
    options?: CallOptions,
  ): Promise<ResumeDecision>;

  /** The lines of a bundle, each without its newline. */
  export(id: string, options?: CallOptions): AsyncGenerator<string, void, undefined>;
  /** Accepts a text, a file, or lines as `export` yields them; lines are sent as they arrive. */
  import(bundle: BundleSource, options?: WriteOptions): Promise<Session>;

  /**
   * Yields the events of the session after a position, or all of them, without gaps or duplicates
   * across reconnects. Ends when the signal aborts or the session is deleted.
   */
  events(
    id: string,
    options?: CallOptions & {
      readonly after?: string | number | undefined;
      readonly onConnection?: OnConnection | undefined;
    },
  ): AsyncGenerator<StreamEvent, void, undefined>;
  /** Yields the session now, and again after each event. Ends as `events` does. */
  follow(id: string, options?: CallOptions): AsyncGenerator<Followed, void, undefined>;
}

export function createSessions(connection: Connection): Sessions {
  const { call } = connection;
  const act = (
    verb: string,
    { id, body, options }: { id: string; body: unknown; options: WriteOptions | undefined },
  ): Promise<Session> =>
    call("session", { ...options, method: "POST", path: `${pathOf(id)}/${verb}`, body });

  const sessions: Sessions = {
    create: (body = {}, options) =>
      call("createdSession", { ...options, method: "POST", path: ROOT, body }),
    list: (query, options) => call("sessions", { ...options, path: ROOT, query }),
    get: async (id, options) => call("wholeSession", { ...options, path: pathOf(id) }),
    raw: async (id, options) => call("rawSession", { ...options, path: `${pathOf(id)}/raw` }),
    update: async (id, body, options) =>
      call("session", { ...options, method: "PATCH", path: pathOf(id), body }),
    delete: async (id, options) =>
      call("session", { ...options, method: "DELETE", path: pathOf(id) }),

    send: async (id, body, options) =>
      call("sentMessage", {
        ...options,
        method: "POST",
        path: `${pathOf(id)}/messages`,
        body,
      }),
    prompt: async (id, text, options) =>
      call("sentMessage", {
        ...options,
        method: "POST",
        path: `${pathOf(id)}/prompt`,
        body: { text },
      }),
    messages: async (id, query, options) =>
      call("messages", { ...options, path: `${pathOf(id)}/messages`, query }),

    runs: async (id, query, options) =>
      call("runs", { ...options, path: `${pathOf(id)}/runs`, query }),

    queue: async (id, options) => call("queue", { ...options, path: `${pathOf(id)}/queue` }),
    editQueued: async (id, messageId, body, options) =>
      call("queue", {
        ...options,
        method: "PATCH",
        path: queuedPathOf(id, messageId),
        body,
      }),
    withdrawQueued: async (id, messageId, options) =>
      call("queue", { ...options, method: "DELETE", path: queuedPathOf(id, messageId) }),

    cancel: async (id, body = {}, options) => act("cancel", { id, body, options }),
    resume: async (id, options) => act("resume", { id, body: {}, options }),
    answer: async (id, body, options) => act("resume", { id, body, options }),
    grants: async (id, options) => call("grants", { ...options, path: `${pathOf(id)}/grants` }),
    revokeGrant: async (id, grantId, options) =>
      call("grants", {
        ...options,
        method: "DELETE",
        path: `${pathOf(id)}/grants/${segment(grantId)}`,
      }),
    archive: async (id, options) => act("archive", { id, body: {}, options }),
    finalize: async (id, body, options) => act("finalize", { id, body, options }),
    fail: async (id, body, options) => act("fail", { id, body, options }),
    fork: async (id, body = {}, options) => act("fork", { id, body, options }),
    shouldResume: async (id, query, options) =>
      call("resumeDecision", { ...options, path: `${pathOf(id)}/should-resume`, query }),

    export: (id, options) => exportLines(connection, { ...options, path: `${pathOf(id)}/export` }),
    import: (bundle, options) =>
      call("session", { ...options, method: "POST", path: `${ROOT}/import`, bundle }),

    events: (id, { after, signal, onConnection } = {}) =>
      streamEvents({
        connection,
        path: `${pathOf(id)}/events`,
        after: after === undefined ? null : positionOf(after),
        ofOneSession: true,
        onConnection,
        signal,
      }),
    follow: (id, options) => follow(sessions, id, options),
  };
  return sessions;
}

const ROOT = "/api/sessions";

function pathOf(id: string): string {
  return `${ROOT}/${segment(id)}`;
}

function queuedPathOf(id: string, messageId: string): string {
  return `${pathOf(id)}/queue/${segment(messageId)}`;
}

function positionOf(after: string | number): string {
  const position = String(after);
  if (!/^\d+$/u.test(position)) throw new TypeError(`Not the id of an event: ${position}`);
  return position;
}

/** Yields the lines of a bundle as they arrive. Throws when the connection breaks: an incomplete bundle is useless. */
async function* exportLines(
  { open }: Connection,
  request: Request,
): AsyncGenerator<string, void, undefined> {
  const response = await open({ ...request, headers: { accept: BUNDLE_MEDIA_TYPE } });
  let rest = "";
  for await (const text of textChunks(response, request)) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}
