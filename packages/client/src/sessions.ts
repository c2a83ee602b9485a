import {
  createSessionReplySchema,
  grantsReplySchema,
  messagesReplySchema,
  queueReplySchema,
  rawSessionSchema,
  resumeDecisionSchema,
  runsReplySchema,
  sendMessageReplySchema,
  sessionListSchema,
  sessionSchema,
  wholeSessionSchema,
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
import { segment, type CallOptions, type Connection, type WriteOptions } from "./connection.ts";
import { streamEvents, type OnConnection } from "./event-stream.ts";
import { exportLines } from "./export-lines.ts";
import { follow, type Followed } from "./follow.ts";

export interface Sessions {
  create(request?: CreateSessionRequest, options?: WriteOptions): Promise<CreatedSession>;
  list(query?: Partial<ListSessionsQuery>, options?: CallOptions): Promise<SessionList>;
  /** The session with its repository and all its messages. */
  get(id: string, options?: CallOptions): Promise<WholeSession>;
  /** As it is stored, whether or not it can be read. */
  raw(id: string, options?: CallOptions): Promise<RawSession>;
  update(id: string, changes: UpdateSessionRequest, options?: WriteOptions): Promise<Session>;
  /** For good, from any state; answers with the session as it last was, or with what is known of one that cannot be read. */
  delete(id: string, options?: WriteOptions): Promise<Session>;

  send(id: string, message: SendMessageRequest, options?: WriteOptions): Promise<SendMessageReply>;
  prompt(id: string, text: string, options?: WriteOptions): Promise<SendMessageReply>;
  messages(
    id: string,
    query?: Partial<MessagesQuery>,
    options?: CallOptions,
  ): Promise<MessagesReply>;

  /** What became of each message an agent was given, and who answered what it waited for. */
  runs(id: string, query?: Partial<RunsQuery>, options?: CallOptions): Promise<RunsReply>;

  /** Messages accepted, not yet given to an agent. */
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
  /** Gives a suspension what it waits for. */
  answer(
    id: string,
    answer: { readonly suspensionId: string; readonly answer: unknown },
    options?: WriteOptions,
  ): Promise<Session>;
  /** What people have answered for the rest of the session. */
  grants(id: string, options?: CallOptions): Promise<GrantsReply>;
  /** From now on it is asked again; answers with the grants that are left. */
  revokeGrant(id: string, grantId: string, options?: WriteOptions): Promise<GrantsReply>;
  archive(id: string, options?: WriteOptions): Promise<Session>;
  finalize(id: string, request: FinalizeRequest, options?: WriteOptions): Promise<Session>;
  fail(id: string, request: FailRequest, options?: WriteOptions): Promise<Session>;
  /** A new idle session with the history up to a message, or all of it. */
  fork(id: string, request?: ForkRequest, options?: WriteOptions): Promise<Session>;
  /** What the query does not say is as the server is configured. */
  shouldResume(
    id: string,
    query?: ShouldResumeQuery,
    options?: CallOptions,
  ): Promise<ResumeDecision>;

  /** The lines of a bundle, each without its newline. */
  export(id: string, options?: CallOptions): AsyncGenerator<string, void, undefined>;
  /** Takes a text, a file, or lines as `export` gives them, which are sent as they come. */
  import(bundle: BundleSource, options?: WriteOptions): Promise<Session>;

  /**
   * What happens to the session from a position on, or from the beginning, without gap or repetition
   * and over any number of connections. Ends when the signal says so or the session is deleted.
   */
  events(
    id: string,
    options?: CallOptions & {
      readonly after?: string | number | undefined;
      readonly onConnection?: OnConnection | undefined;
    },
  ): AsyncGenerator<StreamEvent, void, undefined>;
  /** The session now, and again after each event. Ends as `events` does. */
  follow(id: string, options?: CallOptions): AsyncGenerator<Followed, void, undefined>;
}

export function createSessions(connection: Connection): Sessions {
  const { call } = connection;
  const act = (
    verb: string,
    { id, body, options }: { id: string; body: unknown; options: WriteOptions | undefined },
  ): Promise<Session> =>
    call(sessionSchema, { ...options, method: "POST", path: `${pathOf(id)}/${verb}`, body });

  const sessions: Sessions = {
    create: (body = {}, options) =>
      call(createSessionReplySchema, { ...options, method: "POST", path: ROOT, body }),
    list: (query, options) => call(sessionListSchema, { ...options, path: ROOT, query }),
    get: async (id, options) => call(wholeSessionSchema, { ...options, path: pathOf(id) }),
    raw: async (id, options) => call(rawSessionSchema, { ...options, path: `${pathOf(id)}/raw` }),
    update: async (id, body, options) =>
      call(sessionSchema, { ...options, method: "PATCH", path: pathOf(id), body }),
    delete: async (id, options) =>
      call(sessionSchema, { ...options, method: "DELETE", path: pathOf(id) }),

    send: async (id, body, options) =>
      call(sendMessageReplySchema, {
        ...options,
        method: "POST",
        path: `${pathOf(id)}/messages`,
        body,
      }),
    prompt: async (id, text, options) =>
      call(sendMessageReplySchema, {
        ...options,
        method: "POST",
        path: `${pathOf(id)}/prompt`,
        body: { text },
      }),
    messages: async (id, query, options) =>
      call(messagesReplySchema, { ...options, path: `${pathOf(id)}/messages`, query }),

    runs: async (id, query, options) =>
      call(runsReplySchema, { ...options, path: `${pathOf(id)}/runs`, query }),

    queue: async (id, options) =>
      call(queueReplySchema, { ...options, path: `${pathOf(id)}/queue` }),
    editQueued: async (id, messageId, body, options) =>
      call(queueReplySchema, {
        ...options,
        method: "PATCH",
        path: queuedPathOf(id, messageId),
        body,
      }),
    withdrawQueued: async (id, messageId, options) =>
      call(queueReplySchema, { ...options, method: "DELETE", path: queuedPathOf(id, messageId) }),

    cancel: async (id, body = {}, options) => act("cancel", { id, body, options }),
    resume: async (id, options) => act("resume", { id, body: {}, options }),
    answer: async (id, body, options) => act("resume", { id, body, options }),
    grants: async (id, options) =>
      call(grantsReplySchema, { ...options, path: `${pathOf(id)}/grants` }),
    revokeGrant: async (id, grantId, options) =>
      call(grantsReplySchema, {
        ...options,
        method: "DELETE",
        path: `${pathOf(id)}/grants/${segment(grantId)}`,
      }),
    archive: async (id, options) => act("archive", { id, body: {}, options }),
    finalize: async (id, body, options) => act("finalize", { id, body, options }),
    fail: async (id, body, options) => act("fail", { id, body, options }),
    fork: async (id, body = {}, options) => act("fork", { id, body, options }),
    shouldResume: async (id, query, options) =>
      call(resumeDecisionSchema, { ...options, path: `${pathOf(id)}/should-resume`, query }),

    export: (id, options) => exportLines(connection, { ...options, path: `${pathOf(id)}/export` }),
    import: (bundle, options) =>
      call(sessionSchema, { ...options, method: "POST", path: `${ROOT}/import`, bundle }),

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
