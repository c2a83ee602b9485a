import { HoldfastError, isObject } from "@holdfast/client";
import type { OpenSuspension, RunStatus, WholeRun } from "@holdfast/protocol";
import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ClientCapabilities,
  type InputRequest,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { mayUse, reasonOf, type Caller } from "./caller.ts";
import { answerFrom, askFor, type Asks } from "./questions.ts";
import { runResult, statusMessage } from "./run-result.ts";
import { cancelRun, failureOf, isEnded, readRun, type ObservedRun } from "./runs.ts";
import type { RunName } from "./surface.ts";

/** The extension of the protocol for long calls. */
export const TASKS = "io.modelcontextprotocol/tasks";

/** How often a client should ask. */
const POLL_MS = 2_000;

/**
 * A task is a run, and its ID names the session and the run: nothing else is stored for it, so it lives as long as the session,
 * on every node and through restarts.
 */
function taskIdOf({ sessionId, runId }: RunName): string {
  return `${sessionId}.${runId}`;
}

/** Null if it is not the ID of a task. Run IDs have no dots. */
function runOfTask(taskId: string): RunName | null {
  const at = taskId.lastIndexOf(".");
  if (at < 1 || at === taskId.length - 1) return null;
  return { sessionId: taskId.slice(0, at), runId: taskId.slice(at + 1) };
}

/** What a client sends back with the answers to what the run waited for. */
export function stateOf(run: RunName): string {
  return `${STATE_OF_RUN}${taskIdOf(run)}`;
}

/** Null if it is not the state of a run. */
export function runOfState(state: string): RunName | null {
  return state.startsWith(STATE_OF_RUN) ? runOfTask(state.slice(STATE_OF_RUN.length)) : null;
}

const STATE_OF_RUN = "run:";

/** Whether the client takes a task instead of a result. It says so with each request. */
export function takesTasks(context: ServerContext): boolean {
  return declaredIn(context)?.extensions?.[TASKS] !== undefined;
}

/** Throws if the client does not take tasks. */
export function requireTasks(context: ServerContext): void {
  if (!takesTasks(context)) throw new MissingRequiredClientCapabilityError(REQUIRED);
}

/** What the client can ask its user. */
export function asksOf(
  context: ServerContext,
  server: Pick<Server, "getClientCapabilities">,
): Asks {
  return declaredIn(context) ?? server.getClientCapabilities() ?? {};
}

/** What the client declared with this request; versions before 2026 declare it once. */
function declaredIn({ mcpReq }: ServerContext): ClientCapabilities | undefined {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const declared = envelope[CLIENT_CAPABILITIES_META_KEY];
  // The SDK has checked it.
  return isObject(declared) ? (declared as ClientCapabilities) : undefined;
}

/** The questions that this client may answer, as requests to it by the ID of the question. */
export async function requestsTo(
  { caller, asks }: { readonly caller: Caller; readonly asks: Asks },
  open: readonly OpenSuspension[],
  signal: AbortSignal,
): Promise<Readonly<Record<string, InputRequest>>> {
  if (open.length === 0 || asks.elicitation === undefined) return {};
  const rights = await caller.ask(() => caller.rights(), signal);
  if (!mayUse(rights, "approve")) return {};
  return Object.fromEntries(
    open.flatMap((suspension) => {
      const request = askFor(suspension, asks);
      return request === null ? [] : [[suspension.id, request]];
    }),
  );
}

/** Stores the client's responses to `requestsTo`. Those to questions that are no longer open are ignored: the first answer counts. */
export async function takeResponses(
  caller: Caller,
  { run, open }: Pick<ObservedRun, "run" | "open">,
  responses: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<void> {
  for (const suspension of open) {
    const answer = answerFrom(suspension, responses[suspension.id]);
    if (answer === undefined) continue;
    const body = { suspensionId: suspension.id, answer };
    const idempotencyKey = caller.newKey();
    try {
      await caller.ask(
        ({ sessions }) => sessions.answer(run.sessionId, body, { signal, idempotencyKey }),
        signal,
      );
    } catch (error) {
      if (!isClosed(error)) throw error;
    }
  }
}

const CLOSED: ReadonlySet<string> = new Set([
  "suspension_answered",
  "suspension_not_open",
  "session_not_suspended",
]);

function isClosed(error: unknown): boolean {
  return error instanceof HoldfastError && CLOSED.has(error.code);
}

/** The reply to a call that became a task. */
export async function createdTask(caller: Caller, name: RunName, signal: AbortSignal) {
  const observed = await readRun(caller, name, signal);
  return { resultType: "task", status: STATUSES[observed.run.status], ...taskFields(observed) };
}

/** An agent that fails is an error of the tool, and so a result. A run that was cut has no result. */
const STATUSES = {
  queued: "working",
  running: "working",
  suspended: "working",
  completed: "completed",
  failed: "completed",
  interrupted: "failed",
  cancelled: "cancelled",
} as const satisfies Record<RunStatus, string>;

function taskFields({ run, open }: Pick<ObservedRun, "run" | "open">) {
  const lastUpdatedAt = run.endedAt ?? open.at(-1)?.createdAt ?? run.startedAt ?? run.queuedAt;
  return {
    taskId: taskIdOf({ sessionId: run.sessionId, runId: run.id }),
    createdAt: run.queuedAt,
    lastUpdatedAt,
    ttlMs: null,
    pollIntervalMs: POLL_MS,
    statusMessage: isEnded(run.status) ? endMessage(run) : statusMessage({ run, open }),
  };
}

function endMessage(run: WholeRun): string {
  return run.status === "completed" ? "The agent has answered." : failureOf(run);
}

/** The task with everything that its status comes with. */
async function detailedTask(
  to: { readonly caller: Caller; readonly asks: Asks },
  name: RunName,
  signal: AbortSignal,
) {
  const observed = await readRun(to.caller, name, signal);
  const status = STATUSES[observed.run.status];
  const task = { ...taskFields(observed), status };
  switch (status) {
    case "completed":
      return { ...task, result: runResult(observed) };
    case "failed": {
      const message = failureOf(observed.run);
      return { ...task, error: { code: ProtocolErrorCode.InternalError, message } };
    }
    case "cancelled":
      return task;
    case "working": {
      const inputRequests = await requestsTo(to, observed.open, signal);
      if (Object.keys(inputRequests).length === 0) return task;
      return { ...task, status: "input_required", inputRequests };
    }
    default:
      return status satisfies never;
  }
}

const PARAMS = z.looseObject({ taskId: z.string() });
const RESULT = z.looseObject({});

/** Adds the methods of the extension. `server` serves one caller. */
export function addTasks(server: Server, caller: Caller): void {
  const find = (taskId: string, context: ServerContext): RunName => {
    requireTasks(context);
    const name = runOfTask(taskId);
    if (name === null) throw notFound(taskId);
    return name;
  };
  const guarded = async <Result>(taskId: string, work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      throw asProtocolError(error, taskId);
    }
  };

  server.setRequestHandler(
    "tasks/get",
    { params: PARAMS, result: RESULT },
    ({ taskId }, context) => {
      const name = find(taskId, context);
      const to = { caller, asks: asksOf(context, server) };
      return guarded(taskId, () => detailedTask(to, name, context.mcpReq.signal));
    },
  );

  server.setRequestHandler(
    "tasks/update",
    {
      params: PARAMS.extend({ inputResponses: z.record(z.string(), z.unknown()).optional() }),
      result: RESULT,
    },
    ({ taskId, inputResponses }, context) => {
      const name = find(taskId, context);
      const { signal } = context.mcpReq;
      const responses = inputResponses ?? context.mcpReq.inputResponses ?? {};
      return guarded(taskId, async () => {
        await takeResponses(caller, await readRun(caller, name, signal), responses, signal);
        return {};
      });
    },
  );

  server.setRequestHandler(
    "tasks/cancel",
    { params: PARAMS, result: RESULT },
    ({ taskId }, context) => {
      const name = find(taskId, context);
      const { signal } = context.mcpReq;
      const reason = "cancelled by an MCP client";
      return guarded(taskId, async () => {
        await cancelRun(caller, name, { reason, signal });
        return {};
      });
    },
  );
}

const REQUIRED: { readonly requiredCapabilities: ClientCapabilities } = {
  requiredCapabilities: { extensions: { [TASKS]: {} } },
};

function notFound(taskId: string): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no task ${JSON.stringify(taskId)}.`,
  );
}

const MISSING: ReadonlySet<string> = new Set([
  "session_not_found",
  "run_not_found",
  "invalid_request",
]);

function asProtocolError(error: unknown, taskId: string): ProtocolError {
  if (error instanceof ProtocolError) return error;
  if (error instanceof HoldfastError && MISSING.has(error.code)) return notFound(taskId);
  const code =
    error instanceof HoldfastError && error.status < 500
      ? ProtocolErrorCode.InvalidParams
      : ProtocolErrorCode.InternalError;
  return new ProtocolError(code, reasonOf(error));
}
