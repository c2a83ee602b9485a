import { defined } from "../../domain/defined.ts";
import type {
  AgentSessionEnd,
  InboxUnusedAnswer,
  OpenSuspension,
  Session,
  Suspension,
  SuspensionsReply,
  WorktreeEnd,
} from "@holdfast/protocol";
import { isObject } from "../../domain/json.ts";
import type { CommonFlags } from "../gateway/find-server.ts";
import { withGateway } from "../gateway/open-gateway.ts";
import type { SessionGateway } from "../gateway/session-gateway.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { shellWord, timeAgo } from "../terminal/format.ts";
import { formOutline } from "../talk/form/form-outline.ts";
import { answerCommands } from "../talk/question-lines.ts";
import { optionText } from "../talk/option-text.ts";
import { questionOf } from "../talk/question.ts";
import { openPrinter, type Printer } from "../terminal/printer.ts";
import { nameOf } from "../gaia/to-state.ts";
import { changeSession } from "./change-session.ts";
import { commandLine } from "../terminal/invocation.ts";

export async function cancelRun(
  id: string,
  flags: CommonFlags & { readonly reason?: string },
): Promise<void> {
  const { reason } = flags;
  await changeSession(
    flags,
    (gateway) => gateway.sessions.cancel(id, defined({ reason })),
    (name, { queued }) =>
      queued === 0
        ? `${name} is idle.`
        : `${name} continues with the next of ${queued} queued messages.`,
  );
}

export interface AnswerFlags extends CommonFlags {
  readonly suspension?: string;
  readonly answer?: string;
}

/** Resumes a suspended session, or answers its question. */
export async function resumeSession(id: string, flags: AnswerFlags): Promise<void> {
  const { suspension, answer } = flags;
  if (answer === undefined && suspension !== undefined)
    throw new CommandFailure("--suspension needs --answer.", EXIT.usage);
  await changeSession(
    flags,
    async ({ sessions }) => {
      if (answer === undefined) return sessions.resume(id);
      const suspensionId = suspension ?? onlyOneOf(await sessions.read(id)).id;
      return sessions.answer(id, { suspensionId, answer: parseAnswer(answer) });
    },
    (name, { status, state }) => `${name} is ${status}, ${state}.`,
  );
}

function onlyOneOf({ suspensions }: Session): OpenSuspension {
  const [first, ...more] = suspensions;
  if (first === undefined) throw new CommandFailure("The session is not waiting for an answer.");
  if (more.length === 0) return first;
  throw new CommandFailure(
    `The session waits for ${suspensions.length} answers. Choose one with --suspension: ${suspensions.map(({ id }) => id).join(", ")}`,
    EXIT.usage,
  );
}

/** Parses JSON; any other text is the answer itself. */
function parseAnswer(text: string): unknown {
  if (!/^[{["\d]|^(?:true|false|null)$/u.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export async function archiveSession(id: string, flags: CommonFlags): Promise<void> {
  await changeSession(
    flags,
    (gateway) => gateway.sessions.archive(id),
    (name) => `${name} is archived.`,
  );
}

/** Asks for confirmation first. */
export async function deleteSession(
  id: string,
  flags: CommonFlags & {
    readonly yes?: true;
    readonly withAgentSessions?: true;
    readonly withWorktree?: true;
  },
): Promise<number> {
  const printer = openPrinter(flags);
  const { confirmed } = await import("../terminal/confirm.ts");
  const along = flags.withAgentSessions === true;
  const what = along ? "its whole history and the sessions of its agents" : "its whole history";
  const question = `Delete ${id} and ${what}? This cannot be undone.`;
  if (!(await confirmed(printer, { question, yes: flags.yes === true }))) return EXIT.no;
  const deleted = await withGateway(flags, "change", (gateway) =>
    gateway.sessions.delete(id, {
      ...(along && { agentSessions: "delete" as const }),
      ...(flags.withWorktree === true && { worktree: "remove" as const }),
    }),
  );
  const ends = (deleted.agentSessions ?? []).map(describeEnd);
  const { worktreeEnd } = deleted;
  if (worktreeEnd !== undefined) ends.push(describeWorktree(worktreeEnd));
  printer.result(deleted, [`${nameOf(deleted)} is deleted.`, ...ends].join("\n"));
  return EXIT.done;
}

function describeWorktree({ path, removed, message, keptAs }: WorktreeEnd): string {
  if (!removed) return `Its worktree ${path} is still there: ${message ?? "unknown reason"}`;
  return keptAs === null
    ? "Its worktree is removed."
    : `Its worktree is removed. What was not in a branch is kept as ${keptAs}.`;
}

function describeEnd({ provider, outcome, message }: AgentSessionEnd): string {
  switch (outcome) {
    case "deleted":
      return `The session of ${provider} is deleted.`;
    case "not_offered":
      return `${provider} cannot delete its session.`;
    case "failed":
      return `The session of ${provider} is not deleted: ${message ?? "unknown reason"}`;
    default:
      return outcome satisfies never;
  }
}

export async function forkSession(
  id: string,
  flags: CommonFlags & { readonly at?: string },
): Promise<void> {
  const session = await withGateway(flags, "change", (gateway) =>
    gateway.sessions.fork(id, defined({ atMessage: flags.at })),
  );
  openPrinter(flags).result(session, session.id);
}

/** Lists everything waiting for a person, with the command that answers it. */
export async function showInbox(flags: InboxFlags): Promise<void> {
  const printer = openPrinter(flags);
  const { dismiss: id } = flags;
  const { suspensions, unusedAnswers } = await (id === undefined
    ? withGateway(flags, "read", (gateway) => gateway.suspensions())
    : withGateway(flags, "change", (gateway) => dismiss(gateway, id)));
  if (flags.json === true) return printer.json({ suspensions, unusedAnswers });
  if (!printer.isForPeople) {
    const waiting = suspensions.map(({ id, sessionId, kind, createdAt, request }) => [
      sessionId,
      id,
      kind,
      createdAt,
      titleOf(request),
    ]);
    const unused = unusedAnswers.map(({ sessionId, suspensionId, at, title }) => [
      sessionId,
      suspensionId,
      UNUSED,
      at,
      title,
    ]);
    return printer.table([...waiting, ...unused], []);
  }
  if (suspensions.length + unusedAnswers.length === 0)
    return printer.note("Nothing is waiting for you.");
  for (const suspension of suspensions) showSuspension(printer, suspension);
  for (const unused of unusedAnswers) showUnused(printer, unused);
}

export interface InboxFlags extends CommonFlags {
  /** A suspension whose answer was not used. */
  readonly dismiss?: string;
}

/** In the column of kinds. */
const UNUSED = "unused_answer";

async function dismiss(gateway: SessionGateway, suspensionId: string): Promise<SuspensionsReply> {
  const { unusedAnswers } = await gateway.suspensions();
  const unused = unusedAnswers.find((each) => each.suspensionId === suspensionId);
  if (unused === undefined)
    throw new CommandFailure("No allowed action with that ID is in the inbox.", EXIT.no);
  return gateway.dismissUnused(unused.sessionId, unused.runId);
}

function showUnused(printer: Printer, unused: InboxUnusedAnswer): void {
  const { suspensionId, sessionId, title, at } = unused;
  printer.line(`allowed, not performed  ${title}`);
  printer.note(
    `  the agent ended its turn without performing it ${timeAgo(at, Date.now())}, in session ${sessionId}`,
  );
  printer.note(`  ${commandLine(`send ${sessionId} 'Do it now: …'`)}`, printer.paint.dim);
  printer.note(`  ${commandLine(`inbox --dismiss ${suspensionId}`)}`, printer.paint.dim);
  printer.note("");
}

function showSuspension(printer: Printer, suspension: Suspension): void {
  const { paint } = printer;
  const { id, sessionId, kind, request, createdAt } = suspension;
  printer.line(`${kind}  ${titleOf(request) ?? ""}`);
  printer.note(`  since ${timeAgo(createdAt, Date.now())}, in session ${sessionId}`);
  if (kind === "elicitation") return showElicitation(printer, suspension);
  const options = optionsOf(suspension);
  for (const option of options) printer.line(`  ${option.id}  ${option.text}`);
  const [first] = options;
  const answer = first === undefined ? "'…'" : shellWord(first.id);
  printer.note(
    `  ${commandLine(`resume ${sessionId} --suspension ${id} --answer ${answer}`)}`,
    paint.dim,
  );
  printer.note("");
}

/** A form is asked field by field by `watch`; the other commands answer it at once. */
function showElicitation(printer: Printer, suspension: Suspension): void {
  const { paint, terminal } = printer;
  const { sessionId } = suspension;
  const question = questionOf(suspension);
  if (question.ask === "url") printer.line(`  ${question.url}`);
  if (question.ask === "form") {
    const style = { paint, columns: terminal.stdout.columns() };
    for (const line of formOutline(question.form, style)) printer.line(line);
  }
  printer.note(`  ${commandLine(`watch ${sessionId}`)}`, paint.dim);
  for (const command of answerCommands(question, sessionId))
    printer.note(`  ${command}`, paint.dim);
  printer.note("");
}

function titleOf(request: unknown): string | null {
  return isObject(request) && typeof request["title"] === "string" ? request["title"] : null;
}

function optionsOf(
  suspension: Suspension,
): readonly { readonly id: string; readonly text: string }[] {
  const question = questionOf(suspension);
  if (question.ask !== "choice") return [];
  return question.options.map((option) => ({
    id: option.optionId,
    text: optionText(option, question),
  }));
}
