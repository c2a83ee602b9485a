import type { Command } from "../../domain/kernel/command.ts";
import type { JsonObject } from "../../domain/json.ts";
import { currentRunOf, openSuspensionsOf, stateOf, type Session } from "../../domain/session.ts";
import type { PermissionRequest } from "../../providers/provider.ts";
import type { StoredSuspension } from "../../storage/store.ts";
import { toRefused } from "../command-reply.ts";
import type { RuntimeContext } from "../context.ts";
import { noSuchSession, refuse, type Refused, type Reply } from "../reply.ts";
import { MAX_OPEN } from "./agent-questions.ts";
import { carriedFrom, chosenKind } from "./permission-answer.ts";
import { permissionQuestion } from "./permission-question.ts";
import { isByPolicy } from "./policy-answer.ts";

/*
 * Permission for a tool of Holdfast itself. The call does not wait for a person: it ends, the run is suspended, and the
 * answer begins the next prompt, like that of a question. The agent then calls the tool again, and that call uses the
 * answer, once.
 */

export interface OwnToolCall {
  readonly sessionId: string;
  readonly tool: string;
  readonly title: string;
  readonly input: JsonObject;
  /** Equal for calls to which the same answer applies. */
  readonly fingerprint: string;
}

/** The key of a request with the name of Holdfast's own tool. No agent can set it. */
const OWN_TOOL = "ownTool";

/** Asks the policy, earlier answers and then a person. */
export async function permitOwnTool(
  context: RuntimeContext,
  call: OwnToolCall,
): Promise<Reply<{ readonly permission: "allowed" | "waiting" }>> {
  const { sessionId, fingerprint } = call;
  const loaded = await context.store.load(sessionId);
  if (loaded.found !== "session") return noSuchSession();
  const run = currentRunOf(loaded.stored.session);
  if (run === null) return noRun();
  const id = context.newId();
  const request = requestOf(call);
  const report = { report: "permission", requestId: id, request, fingerprint } as const;
  const question = await permissionQuestion(context, { id, sessionId, run, report });
  let refused: Refused | null = null;
  const executed = await context.execute({
    sessionId,
    command: (session) => {
      refused = null;
      const open = session === null ? [] : openSuspensionsOf(session);
      if (open.some((each) => each.fingerprint === fingerprint)) return [];
      const commands = question(session);
      const isDecided = commands.some(({ type }) => type === "answer");
      if (isDecided)
        return mayDecide(session, commands) ? [...commands, ...stillHanded(session, context)] : [];
      if (open.length < MAX_OPEN) return commands;
      refused = refuse("suspensions_full", `The run waits for ${open.length} answers already.`);
      return [];
    },
  });
  if (!executed.ok) return toRefused(executed);
  if (refused !== null) return refused;
  const closed = executed.events.find((event) => event.type === "suspension.closed");
  if (closed === undefined) {
    context.nudge(sessionId);
    return { ok: true, permission: "waiting" };
  }
  const { closing } = closed;
  const { answer, by } = closing.how === "answered" ? closing : { answer: null, by: null };
  context.log.info(
    { sessionId, runId: run.id, tool: call.tool, closing },
    "a tool needed no person",
  );
  if (chosenKind(request, answer)?.startsWith("allow") === true)
    return { ok: true, permission: "allowed" };
  const who = isByPolicy(by) ? `The permission policy denies it (${by})` : "A person rejected it";
  return refuse("permission_denied", `${who}: ${call.title}.`);
}

/** Whether the agent need not be told about the end of a permission: the reply to its call said it. */
export function isToldByTool(
  { id, request, answeredBy }: StoredSuspension,
  suspensions: readonly StoredSuspension[],
): boolean {
  if (ownToolOf(request) === null) return false;
  const isDecidedAtOnce = isByPolicy(answeredBy) || carriedFrom(answeredBy) !== null;
  return isDecidedAtOnce || suspensions.some((other) => carriedFrom(other.answeredBy) === id);
}

/** The name of Holdfast's own tool that a permission is for; null for other permissions. */
export function ownToolOf(request: JsonObject): string | null {
  const tool = request[OWN_TOOL];
  return typeof tool === "string" ? tool : null;
}

function requestOf({ tool, title, input }: OwnToolCall): PermissionRequest {
  return {
    title,
    toolCallId: null,
    kind: "other",
    tool,
    [OWN_TOOL]: tool,
    input,
    options: [
      { optionId: "allow_once", name: "Allow once", kind: "allow_once" },
      { optionId: "allow_always", name: "Allow for this session", kind: "allow_always" },
      { optionId: "reject_once", name: "Reject", kind: "reject_once" },
    ],
  };
}

/** An earlier answer is used only by an agent that was told it. */
function mayDecide(session: Session | null, commands: readonly Command[]): boolean {
  const isCarried = commands.some(
    (command) => command.type === "answer" && carriedFrom(command.by) !== null,
  );
  return !isCarried || (session !== null && isAtWork(session));
}

/** A question that is decided at once does not take the run from its agent. */
function stillHanded(session: Session | null, { clock }: RuntimeContext): readonly Command[] {
  const run = session === null ? null : currentRunOf(session);
  if (session === null || run === null || !isAtWork(session)) return [];
  return [{ type: "hand-run", at: clock(), runId: run.id }];
}

function isAtWork(session: Session): boolean {
  return stateOf(session) === "running" && currentRunOf(session)?.handed === true;
}

function noRun(): Refused {
  return refuse("run_not_current", "No run is in progress.");
}
