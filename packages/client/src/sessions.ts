import {
  BUNDLE_MEDIA_TYPE,
  OUTPUT_OMITTED_HEADER,
  OUTPUT_SOURCE_HEADER,
  type BranchState,
  type CancelRequest,
  type Changes,
  type ChangesQuery,
  type CommitReply,
  type CommitRequest,
  type CreatedSession,
  type CreateSessionRequest,
  type DeleteSessionQuery,
  type DeleteSessionReply,
  type EditQueuedRequest,
  type FailRequest,
  type FileChangesQuery,
  type FileDiff,
  type FinalizeRequest,
  type ForkRequest,
  type GrantsReply,
  type History,
  type HistoryQuery,
  type ListSessionsQuery,
  type MergeReply,
  type MergeRequest,
  type MessagesQuery,
  type MessagesReply,
  type OptionsReply,
  type PullRequestReply,
  type PullRequestRequest,
  type PushReply,
  type QueueReply,
  type RebaseReply,
  type RebaseRequest,
  type RawSession,
  type ResumeDecision,
  type RewindReply,
  type RewindRequest,
  type RunsQuery,
  type RunsReply,
  type SendMessageReply,
  type SendMessageRequest,
  type Session,
  type SessionList,
  type SessionQuery,
  type ShouldResumeQuery,
  type UpdateSessionRequest,
  type WholeRun,
  type WholeSession,
} from "@holdfast/protocol";
import type { StreamEvent } from "./apply-event.ts";
import type { BundleSource } from "./bundle-body.ts";
import {
  segment,
  textChunks,
  type CallOptions,
  type Connection,
  type WriteOptions,
} from "./connection.ts";
import { streamEvents, type OnConnection } from "./event-stream.ts";
import { follow, type Followed } from "./follow.ts";

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(connection: Connection) {
  const { call } = connection;
  const act = (
    id: string,
    verb: string,
    body: unknown,
    options: WriteOptions | undefined,
  ): Promise<Session> => call("sessionSchema", "POST", pathOf(id, verb), { ...options, body });

  const sessions = {
    create: (body?: CreateSessionRequest, options?: WriteOptions): Promise<CreatedSession> =>
      call("createSessionReplySchema", "POST", ROOT, { ...options, body: body ?? {} }),
    list: (query?: Partial<ListSessionsQuery>, options?: CallOptions): Promise<SessionList> =>
      call("sessionListSchema", "GET", ROOT, { ...options, query }),
    /** The session with its repository and all its messages, or the last ones (`tail`). */
    get: async (
      id: string,
      { tail, ...options }: CallOptions & Partial<SessionQuery> = {},
    ): Promise<WholeSession> =>
      call("wholeSessionSchema", "GET", pathOf(id), { ...options, query: { tail } }),
    /** The stored row, even when it cannot be parsed. */
    raw: async (id: string, options?: CallOptions): Promise<RawSession> =>
      call("rawSessionSchema", "GET", pathOf(id, "raw"), options),
    update: async (
      id: string,
      body: UpdateSessionRequest,
      options?: WriteOptions,
    ): Promise<Session> => call("sessionSchema", "PATCH", pathOf(id), { ...options, body }),
    /**
     * Permanently, in any state. Returns the deleted session, or the readable part of a damaged one, and what became of
     * the sessions that its agents kept, if they were to be deleted.
     */
    delete: async (
      id: string,
      { agentSessions, worktree, ...options }: WriteOptions & DeleteSessionQuery = {},
    ): Promise<DeleteSessionReply> =>
      call("deleteSessionReplySchema", "DELETE", pathOf(id), {
        ...options,
        query: {
          ...(agentSessions !== undefined && { agentSessions }),
          ...(worktree !== undefined && { worktree }),
        },
      }),

    send: async (
      id: string,
      body: SendMessageRequest,
      options?: WriteOptions,
    ): Promise<SendMessageReply> =>
      call("sendMessageReplySchema", "POST", pathOf(id, "messages"), { ...options, body }),
    prompt: async (id: string, text: string, options?: WriteOptions): Promise<SendMessageReply> =>
      call("sendMessageReplySchema", "POST", pathOf(id, "prompt"), { ...options, body: { text } }),
    messages: async (
      id: string,
      query?: Partial<MessagesQuery>,
      options?: CallOptions,
    ): Promise<MessagesReply> =>
      call("messagesReplySchema", "GET", pathOf(id, "messages"), { ...options, query }),

    /** Messages as bounded text. */
    history: async (
      id: string,
      query?: Partial<HistoryQuery>,
      options?: CallOptions,
    ): Promise<History> =>
      call("historySchema", "GET", pathOf(id, "history"), { ...options, query }),

    /** The output of a tool call, whole if the agent left it in a file that may be read. */
    output: async (id: string, messageId: string, options?: CallOptions): Promise<ToolOutput> =>
      readOutput(connection, pathOf(id, "messages", messageId, "output"), options),

    /** The runs with their outcome, what they waited for and who answered. */
    runs: async (
      id: string,
      query?: Partial<RunsQuery>,
      options?: CallOptions,
    ): Promise<RunsReply> =>
      call("runsReplySchema", "GET", pathOf(id, "runs"), { ...options, query }),

    /** One run, with the answer of its agent. */
    run: async (id: string, runId: string, options?: CallOptions): Promise<WholeRun> =>
      call("wholeRunSchema", "GET", pathOf(id, "runs", runId), options),

    /** What the agent of the next message lets you choose: mode, model and its other options. */
    options: async (id: string, options?: CallOptions): Promise<OptionsReply> =>
      call("optionsReplySchema", "GET", pathOf(id, "options"), options),

    /** Accepted messages that no agent has received yet. */
    queue: async (id: string, options?: CallOptions): Promise<QueueReply> =>
      call("queueReplySchema", "GET", pathOf(id, "queue"), options),
    editQueued: async (
      id: string,
      messageId: string,
      body: EditQueuedRequest,
      options?: WriteOptions,
    ): Promise<QueueReply> =>
      call("queueReplySchema", "PATCH", pathOf(id, "queue", messageId), { ...options, body }),
    withdrawQueued: async (
      id: string,
      messageId: string,
      options?: WriteOptions,
    ): Promise<QueueReply> =>
      call("queueReplySchema", "DELETE", pathOf(id, "queue", messageId), options),

    cancel: async (id: string, body?: CancelRequest, options?: WriteOptions): Promise<Session> =>
      act(id, "cancel", body ?? {}, options),
    /** Makes a suspended session active again. */
    resume: async (id: string, options?: WriteOptions): Promise<Session> =>
      act(id, "resume", {}, options),
    /** Answers a suspension. */
    answer: async (
      id: string,
      body: { readonly suspensionId: string; readonly answer: unknown },
      options?: WriteOptions,
    ): Promise<Session> => act(id, "resume", body, options),
    /** Permissions granted for the rest of the session. */
    grants: async (id: string, options?: CallOptions): Promise<GrantsReply> =>
      call("grantsReplySchema", "GET", pathOf(id, "grants"), options),
    /** The agent must ask again. Returns the remaining grants. */
    revokeGrant: async (
      id: string,
      grantId: string,
      options?: WriteOptions,
    ): Promise<GrantsReply> =>
      call("grantsReplySchema", "DELETE", pathOf(id, "grants", grantId), options),
    archive: async (id: string, options?: WriteOptions): Promise<Session> =>
      act(id, "archive", {}, options),
    finalize: async (id: string, body: FinalizeRequest, options?: WriteOptions): Promise<Session> =>
      act(id, "finalize", body, options),
    fail: async (id: string, body: FailRequest, options?: WriteOptions): Promise<Session> =>
      act(id, "fail", body, options),
    /** The files that changed: of the whole session, of one run, or since a run began. */
    changes: async (id: string, query?: ChangesQuery, options?: CallOptions): Promise<Changes> =>
      call("changesSchema", "GET", pathOf(id, "changes"), { ...options, query }),
    /** The unified diff of one changed file. */
    fileDiff: async (
      id: string,
      query: FileChangesQuery,
      options?: CallOptions,
    ): Promise<FileDiff> =>
      call("fileDiffSchema", "GET", pathOf(id, "changes", "file"), { ...options, query }),
    /** All changes as one patch, in pieces as they arrive. */
    patch: (
      id: string,
      query?: ChangesQuery,
      options?: CallOptions,
    ): AsyncGenerator<string, void, undefined> =>
      readPatch(connection, pathOf(id, "changes", "patch"), query, options),
    /** Goes back to the state before a run, or undoes the last rewind. */
    rewind: async (id: string, body: RewindRequest, options?: WriteOptions): Promise<RewindReply> =>
      call("rewindReplySchema", "POST", pathOf(id, "rewind"), { ...options, body }),
    /** The branch of the session, and how its work can be kept. */
    branch: async (id: string, options?: CallOptions): Promise<BranchState> =>
      call("branchStateSchema", "GET", pathOf(id, "branch"), options),
    commit: async (id: string, body?: CommitRequest, options?: CallOptions): Promise<CommitReply> =>
      call("commitReplySchema", "POST", pathOf(id, "commit"), { ...options, body: body ?? {} }),
    merge: async (id: string, body?: MergeRequest, options?: CallOptions): Promise<MergeReply> =>
      call("mergeReplySchema", "POST", pathOf(id, "merge"), { ...options, body: body ?? {} }),
    rebase: async (id: string, body?: RebaseRequest, options?: CallOptions): Promise<RebaseReply> =>
      call("rebaseReplySchema", "POST", pathOf(id, "rebase"), { ...options, body: body ?? {} }),
    push: async (id: string, options?: CallOptions): Promise<PushReply> =>
      call("pushReplySchema", "POST", pathOf(id, "push"), { ...options, body: {} }),
    pullRequest: async (
      id: string,
      body?: PullRequestRequest,
      options?: CallOptions,
    ): Promise<PullRequestReply> =>
      call("pullRequestReplySchema", "POST", pathOf(id, "pull-request"), {
        ...options,
        body: body ?? {},
      }),
    /** Creates an idle session with the history up to a message, or the whole history. */
    fork: async (id: string, body?: ForkRequest, options?: WriteOptions): Promise<Session> =>
      act(id, "fork", body ?? {}, options),
    /** Options missing in the query default to the server's configuration. */
    shouldResume: async (
      id: string,
      query?: ShouldResumeQuery,
      options?: CallOptions,
    ): Promise<ResumeDecision> =>
      call("resumeDecisionSchema", "GET", pathOf(id, "should-resume"), { ...options, query }),

    /** The lines of a bundle, each without its newline. */
    export: (id: string, options?: CallOptions): AsyncGenerator<string, void, undefined> =>
      exportLines(connection, pathOf(id, "export"), options),
    /** Accepts a text, a file, or lines as `export` yields them; lines are sent as they arrive. */
    import: (bundle: BundleSource, options?: WriteOptions): Promise<Session> =>
      call("sessionSchema", "POST", `${ROOT}/import`, { ...options, bundle }),

    /**
     * Yields the events of the session after a position, or all of them, without gaps or duplicates
     * across reconnects. Ends when the signal aborts or the session is deleted.
     */
    events: (
      id: string,
      options?: CallOptions & {
        readonly after?: string | number | undefined;
        readonly onConnection?: OnConnection | undefined;
      },
    ): AsyncGenerator<StreamEvent, void, undefined> =>
      streamEvents({
        ...options,
        connection,
        path: pathOf(id, "events"),
        after: options?.after === undefined ? null : positionOf(options.after),
        ofOneSession: true,
      }),
    /** Yields the session now, and again after each event. Ends as `events` does. */
    follow: (id: string, options?: CallOptions): AsyncGenerator<Followed, void, undefined> =>
      follow(sessions, id, options),
  };
  return sessions;
}

/** `stored`: the output as the messages have it. `file`: from a file of the agent. */
export interface ToolOutput {
  readonly source: "stored" | "file";
  /** Bytes that Holdfast left out; the text says where. */
  readonly omittedBytes: number;
  readonly text: string;
}

async function readOutput(
  { open }: Connection,
  path: string,
  options: CallOptions = {},
): Promise<ToolOutput> {
  const response = await open({ ...options, path, headers: { accept: "text/plain" } });
  const parts: string[] = [];
  for await (const text of textChunks(response, options)) parts.push(text);
  return {
    source: response.headers.get(OUTPUT_SOURCE_HEADER) === "file" ? "file" : "stored",
    omittedBytes: Number(response.headers.get(OUTPUT_OMITTED_HEADER) ?? 0),
    text: parts.join(""),
  };
}

const ROOT = "/api/sessions";

function pathOf(...segments: readonly string[]): string {
  return [ROOT, ...segments.map(segment)].join("/");
}

function positionOf(after: string | number): string {
  const position = String(after);
  if (!/^\d+$/u.test(position)) throw new TypeError(`Not the id of an event: ${position}`);
  return position;
}

/** Yields the lines of a bundle as they arrive. Throws when the connection breaks: an incomplete bundle is useless. */
async function* exportLines(
  { open }: Connection,
  path: string,
  options: CallOptions = {},
): AsyncGenerator<string, void, undefined> {
  const response = await open({ ...options, path, headers: { accept: BUNDLE_MEDIA_TYPE } });
  let rest = "";
  for await (const text of textChunks(response, options)) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

async function* readPatch(
  { open }: Connection,
  path: string,
  query: ChangesQuery | undefined,
  options: CallOptions = {},
): AsyncGenerator<string, void, undefined> {
  const headers = { accept: "text/x-diff" };
  const response = await open({ ...options, path, headers, ...(query !== undefined && { query }) });
  yield* textChunks(response, options);
}
