import {
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolRequestParams,
  type CallToolResult,
  type InputRequiredResult,
  type Server,
} from "@modelcontextprotocol/server";
import { mayUse, reasonOf } from "./caller.ts";
import { isForPeople } from "./questions.ts";
import { DEFAULT_WAIT_S } from "./tools/arguments.ts";
import { runResult } from "./run-result.ts";
import { observeRun, readRun } from "./runs.ts";
import { RunOutcome, type Call, type RunName, type Tool, type ToolOutcome } from "./surface.ts";
import {
  asksOf,
  createdTask,
  requestsTo,
  requireTasks,
  runOfState,
  stateOf,
  takeResponses,
  takesTasks,
} from "./tasks.ts";

/** Calls a tool. A tool that leads to a run returns a task to clients that take tasks, and waits for the others. */
export async function callTool(
  tools: readonly Tool[],
  { name, arguments: args = {} }: CallToolRequestParams,
  call: Call,
  server: Server,
): Promise<CallToolResult | InputRequiredResult> {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no tool ${JSON.stringify(name)}.`,
    );
  if (tool.needsTasks === true) requireTasks(call.context);
  try {
    const outcome = await outcomeOf(tool, args, call);
    return outcome instanceof RunOutcome
      ? await resultOfRun(outcome, call, server)
      : outcome.result;
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    return failure(reasonOf(error));
  }
}

async function outcomeOf(tool: Tool, args: object, call: Call): Promise<ToolOutcome> {
  // A repeated call with the answers to what the run waited for. It must not do its work again.
  const state = call.context.mcpReq.requestState<unknown>();
  const begun = typeof state === "string" ? runOfState(state) : null;
  if (begun !== null) return new RunOutcome(begun, waitOf(args));
  const rights = await call.caller.ask(() => call.caller.rights(), call.signal);
  if (!mayUse(rights, tool.scope))
    return refused(
      `The tool ${tool.name} needs a token with the scope ${tool.scope}. The scope of this token is ${rights.scope}.`,
    );
  const parsed = tool.input.strict().safeParse(args);
  if (parsed.success) return tool.call(args, call);
  const problems = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join(".")}: ${message}`,
  );
  return refused(`Invalid arguments for ${tool.name}: ${problems.join("; ")}`);
}

async function resultOfRun(
  { run: name, waitMs }: RunOutcome,
  call: Call,
  server: Server,
): Promise<CallToolResult | InputRequiredResult> {
  const { caller, signal, context } = call;
  const responses = context.mcpReq.inputResponses ?? {};
  await takeResponses(caller, await readRun(caller, name, signal), responses, signal);
  if (waitMs === 0) return runResult(await readRun(caller, name, signal));
  if (takesTasks(context)) {
    // The SDK takes only results with a content.
    return { content: [], ...(await createdTask(caller, name, signal)) };
  }
  await waitFor(name, waitMs, call);
  const now = await readRun(caller, name, signal);
  // Who closed a dialog is not asked again in the same call.
  const unasked = now.open.filter(({ id }) => !Object.hasOwn(responses, id));
  const asks = asksOf(context, server);
  const inputRequests = await requestsTo({ caller, asks }, unasked, signal);
  if (Object.keys(inputRequests).length === 0) return runResult(now);
  const { id: runId, sessionId } = now.run;
  return inputRequired({ inputRequests, requestState: stateOf({ sessionId, runId }) });
}

/** Waits for the end of the run, or for a question that this caller may answer. */
async function waitFor(name: RunName, waitMs: number, call: Call): Promise<void> {
  const { caller, signal } = call;
  const mayAnswer = mayUse(await caller.ask(() => caller.rights(), signal), "approve");
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
  try {
    await observeRun(caller, name, {
      signal: inTime,
      isEnough: (open) => mayAnswer && open.some(isForPeople),
      onStep: progressOf(call),
    });
  } catch (error) {
    if (!inTime.aborted) throw error;
  }
}

/** Tells what the agent does, if the client wants to know. */
function progressOf({ context: { mcpReq } }: Call): (step: string) => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let progress = 0;
  return (message) => {
    progress += 1;
    const params = { progressToken, progress, message };
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}

function waitOf(args: object): number {
  const seconds = "wait_seconds" in args ? args.wait_seconds : null;
  return (typeof seconds === "number" && seconds > 0 ? seconds : DEFAULT_WAIT_S) * 1_000;
}

function refused(text: string): ToolOutcome {
  return { result: failure(text) };
}

function failure(text: string): CallToolResult {
  return { isError: true, content: [{ type: "text", text }] };
}
