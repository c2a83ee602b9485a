import {
  isSpecType,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
  type Tool as ListedTool,
} from "@modelcontextprotocol/server";
import { errorText } from "@holdfast/client";
import { z } from "zod";
import { callTool } from "./call-tool.ts";
import { mayUse, reasonOf, type Caller } from "./caller.ts";
import type { Call, Surface, Tool } from "./surface.ts";
import { addTasks, runOfState, TASKS } from "./tasks.ts";

export interface McpServerOptions {
  readonly caller: Caller;
  readonly surface: Surface;
  readonly version: string;
  /**
   * What the client is told about: what it subscribed to; or, once it listens, everything, of which the SDK passes on what the
   * client listens to. A server for one request tells nothing.
   */
  readonly watches: "subscribed" | { readonly onceItListens: Promise<void> } | "nothing";
  readonly log: (text: string, error?: unknown) => void;
}

/** A server of MCP for one caller: for one request, or for one connection. */
export function createMcpServer(options: McpServerOptions): Server {
  const { caller, surface, version } = options;
  const server = new Server(
    { name: "holdfast", title: "Holdfast", version },
    {
      instructions: surface.instructions,
      capabilities: {
        tools: {},
        resources: { subscribe: true, listChanged: true },
        prompts: {},
        extensions: { [TASKS]: {} },
      },
      inputRequired: { roundTimeoutMs: ANSWER_WITHIN_MS, maxRounds: MAX_ROUNDS },
      requestState: { verify: (state, context) => readState(surface, state, context) },
    },
  );
  server.onerror = (error) => options.log(errorText(error));
  const callOf = (context: ServerContext): Call => ({
    caller,
    context,
    signal: context.mcpReq.signal,
  });
  addTools(server, surface, callOf);
  addResources(server, options, callOf);
  addPrompts(server, surface, callOf);
  addTasks(server, caller);
  return server;
}

/** The state of a begun run is read by `callTool`. It needs no seal: the caller's rights to the run are checked. */
function readState({ readState: read }: Surface, state: string, context: ServerContext): unknown {
  if (runOfState(state) !== null) return state;
  if (read === undefined) throw new Error("This server has not given out this state.");
  return read(state, context);
}

/** A person may take that long for one question of a client of an earlier version; then the question stays open. */
const ANSWER_WITHIN_MS = 60 * 60_000;
/** Questions during one call. */
const MAX_ROUNDS = 100;

type CallOf = (context: ServerContext) => Call;

function addTools(server: Server, { tools }: Surface, callOf: CallOf): void {
  server.setRequestHandler("tools/list", async (_request, context) => {
    const { caller, signal } = callOf(context);
    const rights = await caller.ask(() => caller.rights(), signal);
    const usable = tools.filter(
      ({ scope, isForAll }) => mayUse(rights, scope) && (rights.sessionId === null || !isForAll),
    );
    return { tools: usable.map(toListed) };
  });
  server.setRequestHandler("tools/call", ({ params }, context) =>
    callTool(tools, params, callOf(context), server),
  );
}

const listed = new WeakMap<Tool, ListedTool>();

/** The schemas of a tool do not change. */
function toListed(tool: Tool): ListedTool {
  const known = listed.get(tool);
  if (known !== undefined) return known;
  const { name, title, description, annotations } = tool;
  const made = {
    name,
    title,
    description,
    annotations,
    inputSchema: z.toJSONSchema(strictInput(tool), { io: "input" }),
    ...(tool.output !== undefined && { outputSchema: z.toJSONSchema(tool.output) }),
  };
  if (!isSpecType.Tool(made)) throw new Error(`unreachable: the tool ${name} cannot be listed`);
  listed.set(tool, made);
  return made;
}

/** With the metadata of the schema, which `strict` leaves out. */
function strictInput({ input }: Tool): z.ZodObject {
  return input.strict().meta(input.meta() ?? {});
}

function addResources(server: Server, options: McpServerOptions, callOf: CallOf): void {
  const { resources } = options.surface;
  const beginToWatch = addSubscriptions(server, options);
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [...resources.templates],
  }));
  server.setRequestHandler("resources/list", ({ params }, context) => {
    beginToWatch();
    return guarded(() => resources.list(params?.cursor, callOf(context)));
  });
  server.setRequestHandler("resources/read", async ({ params: { uri } }, context) => {
    const read = await guarded(() => resources.read(uri, callOf(context)));
    if (read === null) throw new ResourceNotFoundError(uri);
    return read;
  });
}

/**
 * A client subscribes with requests, or, since the version of 2026, with a stream that the SDK serves. Returns what begins to
 * watch for a client that subscribes with requests: it wants to know once it has asked for resources.
 */
function addSubscriptions(
  server: Server,
  { caller, surface: { resources }, watches, log }: McpServerOptions,
): () => void {
  const subscribed = new Set<string>();
  const end = new AbortController();
  let isWatching = false;
  const watcher = {
    changed: (uri: string): void => {
      if (watches !== "subscribed" || subscribed.has(uri))
        server.sendResourceUpdated({ uri }).catch(ignore);
    },
    listChanged: (): void => void server.sendResourceListChanged().catch(ignore),
  };
  const watch = (): void => {
    if (isWatching || end.signal.aborted) return;
    isWatching = true;
    resources.watch(caller, watcher, end.signal).catch((error: unknown) => {
      if (!end.signal.aborted) log("following the sessions", error);
    });
  };
  const begin = watches === "subscribed" ? watch : ignore;
  server.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
    if (subscribed.size >= MAX_SUBSCRIBED)
      throw invalid("This connection has too many subscriptions.");
    subscribed.add(uri);
    begin();
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    subscribed.delete(uri);
    return {};
  });
  if (typeof watches === "object") void watches.onceItListens.then(watch);
  server.onclose = () => end.abort();
  return begin;
}

function ignore(): void {}

const MAX_SUBSCRIBED = 1_000;

function addPrompts(server: Server, { prompts }: Surface, callOf: CallOf): void {
  server.setRequestHandler("prompts/list", () => ({
    prompts: prompts.map(({ name, title, description, arguments: args }) => ({
      name,
      title,
      description,
      arguments: [...args],
    })),
  }));
  server.setRequestHandler("prompts/get", ({ params }, context) => {
    const prompt = prompts.find(({ name }) => name === params.name);
    const given = params.arguments ?? {};
    if (prompt === undefined) throw invalid(`There is no prompt ${JSON.stringify(params.name)}.`);
    const missing = prompt.arguments.find(
      ({ name, required }) => required && given[name] === undefined,
    );
    if (missing !== undefined)
      throw invalid(`The prompt ${prompt.name} needs the argument ${missing.name}.`);
    return guarded(() => prompt.get(given, callOf(context)));
  });
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

async function guarded<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    throw new ProtocolError(ProtocolErrorCode.InternalError, reasonOf(error));
  }
}
