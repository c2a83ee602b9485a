import path from "node:path";
import {
  agent,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type AgentApp,
  type AgentContext,
  type ClientCapabilities,
  type McpServer,
  type NewSessionRequest,
} from "@agentclientprotocol/sdk/unstable";
import { defined, type Client } from "@holdfast/client";
import type { CreateSessionRequest, WholeSession } from "@holdfast/protocol";
import { agentCapabilities } from "./capabilities.ts";
import { changeOf, type Choices } from "./config-options.ts";
import { mcpServersOf } from "./connections.ts";
import { findRepository, openRepository, requireSameFolder } from "./folders.ts";
import type { FollowedSession } from "./followed-session.ts";
import { listSessions } from "./list-sessions.ts";
import { persist } from "../persist.ts";
import { invalidParams, RPC, toRequestError } from "./rpc-error.ts";

export interface DoorOptions {
  /** Holdfast's API, with the rights of the editor. */
  readonly client: Client;
  readonly version: string;
  /** The agent of new sessions; without it, the server's default. */
  readonly provider?: string | undefined;
  /** How the editor's user can get access; empty where the transport has checked it. */
  readonly authMethods?: readonly AuthMethod[];
  /** Called when the editor has the reply to `initialize`: time to load what its next requests need. */
  readonly afterInitialize?: () => void;
  readonly newKey: () => string;
  readonly log: (text: string, error?: unknown) => void;
}

export interface AuthMethod {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

/** How long a request waits for a server that does not answer, such as one that restarts. */
const PATIENCE_MS = 60_000;
/** Messages that a session is opened with; the others are read in pages. */
const TAIL = 200;

/** One editor: Holdfast as an agent of the Agent Client Protocol. Sessions outlive the connection. */
export function createAcpDoor(options: DoorOptions): AgentApp {
  const { client, log, newKey } = options;
  const followed = new Map<string, FollowedSession>();
  const gone = new AbortController();
  const persisting = { signal: gone.signal, patienceMs: PATIENCE_MS };
  let capabilities: ClientCapabilities = {};

  const ask = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    try {
      return await persist(call, persisting);
    } catch (error) {
      throw toRequestError(error);
    }
  };

  const follow = async (session: WholeSession, editor: AgentContext): Promise<FollowedSession> => {
    const { followSession } = await import("./followed-session.ts");
    // Nothing would close the session of an editor that has gone meanwhile.
    gone.signal.throwIfAborted();
    followed.get(session.id)?.close();
    const one = followSession({
      client,
      editor,
      capabilities,
      session,
      persisting,
      newKey,
      onError: (error) => log(`session ${session.id}`, error),
    });
    followed.set(session.id, one);
    return one;
  };

  /** The editor knows the session only after the reply. */
  const beginAfterReply = (session: FollowedSession): void =>
    void setImmediate(() => session.begin());

  const open = (sessionId: string): FollowedSession => {
    const session = followed.get(sessionId);
    if (session !== undefined) return session;
    throw new RequestError(
      RPC.resourceNotFound,
      `The session ${sessionId} is not open in this connection. Open it with session/load or session/resume.`,
    );
  };

  /** Opens a session of the server in this connection. */
  const reopen = async (
    { sessionId, cwd, ...given }: Opening & { readonly sessionId: string },
    editor: AgentContext,
  ): Promise<FollowedSession> => {
    const session = await ask(() => client.sessions.get(sessionId, { tail: TAIL }));
    await requireSameFolder(session, cwd);
    const changes = connectionsOf(given);
    if (Object.keys(changes).length > 0)
      await ask(() => client.sessions.update(sessionId, changes));
    return follow(session, editor);
  };

  return agent({ name: "holdfast" })
    .onConnect((connection) => {
      const end = (): void => {
        gone.abort();
        for (const session of followed.values()) session.close();
        followed.clear();
      };
      if (connection.signal.aborted) end();
      else connection.signal.addEventListener("abort", end);
    })
    .onRequest(methods.agent.initialize, ({ params }) => {
      capabilities = params.clientCapabilities ?? {};
      setImmediate(() => options.afterInitialize?.());
      return {
        // The only version that is spoken here, whatever the editor asked for.
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: "holdfast", title: "Holdfast", version: options.version },
        agentCapabilities,
        authMethods: [...(options.authMethods ?? [])],
      };
    })
    .onRequest(methods.agent.authenticate, async ({ params }) => {
      const known = options.authMethods?.some(({ id }) => id === params.methodId);
      if (known !== true)
        throw invalidParams(`There is no way to log in called ${JSON.stringify(params.methodId)}.`);
      await ask(() => client.providers());
      return {};
    })
    .onRequest(methods.agent.session.new, async ({ params, client: editor }) => {
      const repo = await ask(() => openRepository(client.repos, params.cwd));
      const request: CreateSessionRequest = {
        repoId: repo.id,
        ...defined({ provider: options.provider }),
        ...connectionsOf(params),
      };
      const idempotencyKey = newKey();
      const { id } = await ask(() => client.sessions.create(request, { idempotencyKey }));
      const session = await follow(
        await ask(() => client.sessions.get(id, { tail: TAIL })),
        editor,
      );
      const choices = await ask(() => session.choices());
      beginAfterReply(session);
      return { sessionId: id, ...menus(choices) };
    })
    .onRequest(methods.agent.session.load, async ({ params, client: editor }) => {
      const session = await reopen(params, editor);
      await ask(() => session.replay());
      const choices = await ask(() => session.choices());
      beginAfterReply(session);
      return menus(choices);
    })
    .onRequest(methods.agent.session.resume, async ({ params, client: editor }) => {
      const session = await reopen(params, editor);
      const choices = await ask(() => session.choices());
      beginAfterReply(session);
      return menus(choices);
    })
    .onRequest(methods.agent.session.fork, async ({ params, client: editor }) => {
      const original = await ask(() => client.sessions.get(params.sessionId, { tail: 1 }));
      await requireSameFolder(original, params.cwd);
      const idempotencyKey = newKey();
      const { id } = await ask(() =>
        client.sessions.fork(params.sessionId, {}, { idempotencyKey }),
      );
      const session = await reopen({ ...params, sessionId: id }, editor);
      const choices = await ask(() => session.choices());
      beginAfterReply(session);
      return { sessionId: id, ...menus(choices) };
    })
    .onRequest(methods.agent.session.list, ({ params }) =>
      ask(async () => {
        const { cwd, cursor } = params;
        const repo = cwd == null ? null : await findRepository(client.repos, cwd);
        if (cwd != null && repo === null) return { sessions: [] };
        return listSessions(client, { repo, cursor: cursor ?? null });
      }),
    )
    .onRequest(methods.agent.session.close, async ({ params }) => {
      const session = followed.get(params.sessionId);
      if (session === undefined) return {};
      await ask(() => session.stop());
      session.close();
      followed.delete(params.sessionId);
      return {};
    })
    .onRequest(methods.agent.session.delete, async ({ params }) => {
      await ask(() => client.sessions.delete(params.sessionId));
      followed.get(params.sessionId)?.close();
      followed.delete(params.sessionId);
      return {};
    })
    .onRequest(methods.agent.session.prompt, async ({ params, signal }) => {
      const session = open(params.sessionId);
      // An editor that has gone has not asked to stop.
      const cancel = (): void =>
        void (gone.signal.aborted ? Promise.resolve() : session.cancel()).catch((error: unknown) =>
          log("cancelling a prompt", error),
        );
      signal.addEventListener("abort", cancel);
      try {
        return await session.prompt(params.prompt);
      } catch (error) {
        throw toRequestError(error);
      } finally {
        signal.removeEventListener("abort", cancel);
      }
    })
    .onNotification(methods.agent.session.cancel, async ({ params }) => {
      await followed.get(params.sessionId)?.cancel();
    })
    .onRequest(methods.agent.session.setMode, async ({ params: { sessionId, modeId } }) => {
      await ask(() => client.sessions.update(open(sessionId).id, { mode: modeId }));
      return {};
    })
    .onRequest(methods.agent.session.setConfigOption, async ({ params }) => {
      const session = open(params.sessionId);
      const change = changeOf(params, await ask(() => session.choices()));
      await ask(() => client.sessions.update(session.id, change));
      return { configOptions: (await ask(() => session.choices())).configOptions };
    });
}

type Opening = Pick<NewSessionRequest, "cwd" | "additionalDirectories"> & {
  readonly mcpServers?: McpServer[];
};

/** What the editor adds to a session. An editor that names nothing leaves the session as it is. */
function connectionsOf({
  mcpServers = [],
  additionalDirectories = [],
}: Pick<Opening, "mcpServers" | "additionalDirectories">) {
  const relative = additionalDirectories.find((folder) => !path.isAbsolute(folder));
  if (relative !== undefined)
    throw invalidParams(
      `A further folder must be an absolute path, not ${JSON.stringify(relative)}.`,
    );
  return {
    ...(mcpServers.length > 0 && { mcpServers: mcpServersOf(mcpServers) }),
    ...(additionalDirectories.length > 0 && { directories: additionalDirectories }),
  };
}

function menus({ modes, configOptions }: Choices) {
  return { configOptions, ...(modes !== null && { modes }) };
}
