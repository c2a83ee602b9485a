import type {
  InboxUnusedAnswer,
  OpenSuspension,
  Session,
  Suspension,
  SuspensionsReply,
} from "@holdfast/protocol";
import type { Desk } from "../desk/desk.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { nameOf } from "../gaia/to-state.ts";
import { shellWord } from "../hooks/shell-word.ts";
import { openPrinter, type Printer } from "../terminal/printer.ts";
import { timeAgo } from "../terminal/time-ago.ts";
import { tellOf, withDesk, type CommonFlags } from "./tracking.ts";

export async function cancelRun(
  id: string,
  flags: CommonFlags & { readonly reason?: string },
): Promise<void> {
  const { reason } = flags;
  const session = await withDesk(
    flags,
    (desk) => desk.sessions.cancel(id, reason === undefined ? {} : { reason }),
    { access: "change" },
  );
  tellOf(session, flags, ({ queued }) =>
    queued === 0
      ? `${nameOf(session)} is idle.`
      : `${nameOf(session)} goes on with the next of ${queued} queued messages.`,
  );
}

export interface AnswerFlags extends CommonFlags {
  readonly suspension?: string;
  readonly answer?: string;
}

/** Makes a suspended session active again, or gives it the answer it waits for. */
export async function resumeSession(id: string, flags: AnswerFlags): Promise<void> {
  const { suspension, answer } = flags;
  if (answer === undefined && suspension !== undefined)
    throw new CommandFailure("--suspension needs --answer.", EXIT.usage);
  const session = await withDesk(
    flags,
    async (desk) => {
      if (answer === undefined) return desk.sessions.resume(id);
      const open = suspension ?? onlyOneOf(await desk.sessions.get(id)).id;
      return desk.sessions.answer(id, { suspensionId: open, answer: parseAnswer(answer) });
    },
    { access: "change" },
  );
  tellOf(session, flags, ({ status, state }) => `${nameOf(session)} is ${status}, ${state}.`);
}

function onlyOneOf({ suspensions }: Session): OpenSuspension {
  const [first, ...more] = suspensions;
  if (first === undefined) throw new CommandFailure("The session waits for no answer.");
  if (more.length === 0) return first;
  throw new CommandFailure(
    `The session waits for ${suspensions.length} answers. Say which with --suspension: ${suspensions.map(({ id }) => id).join(", ")}`,
    EXIT.usage,
  );
}

/** JSON where it is some; a word or a sentence stands for itself. */
function parseAnswer(text: string): unknown {
  if (!/^[{["\d]|^(?:true|false|null)$/u.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export async function archiveSession(id: string, flags: CommonFlags): Promise<void> {
  const session = await withDesk(flags, (desk) => desk.sessions.archive(id), { access: "change" });
  tellOf(session, flags, () => `${nameOf(session)} is archived.`);
}

/** For good: a person is asked first. */
export async function deleteSession(
  id: string,
  flags: CommonFlags & { readonly yes?: true },
): Promise<number> {
  const printer = openPrinter(flags);
  const { sure } = await import("../terminal/sure.ts");
  const isSure = await sure(printer, {
    question: `Delete ${id} and its whole history? There is no way back.`,
    yes: flags.yes === true,
  });
  if (!isSure) return EXIT.no;
  const session = await withDesk(flags, (desk) => desk.sessions.delete(id), { access: "change" });
  tellOf(session, flags, () => `${nameOf(session)} is gone.`);
  return EXIT.done;
}

export async function forkSession(
  id: string,
  flags: CommonFlags & { readonly at?: string },
): Promise<void> {
  const { at } = flags;
  const session = await withDesk(
    flags,
    (desk) => desk.sessions.fork(id, at === undefined ? {} : { atMessage: at }),
    { access: "change" },
  );
  const printer = openPrinter(flags);
  if (flags.json === true) tellOf(session, flags, () => "");
  else printer.line(session.id);
}

/** Everything anywhere that waits for a person, with the command that answers it. */
export async function showInbox(flags: InboxFlags): Promise<void> {
  const printer = openPrinter(flags);
  const { suspensions, unusedAnswers } = await withDesk(
    flags,
    async (desk) =>
      flags.dismiss === undefined ? desk.suspensions() : dismiss(desk, flags.dismiss),
    { access: flags.dismiss === undefined ? "read" : "change" },
  );
  if (flags.json === true) return printer.json([...suspensions, ...unusedAnswers.map(asEntry)]);
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
    return printer.note("Nothing waits for you.");
  for (const suspension of suspensions) showSuspension(printer, suspension);
  for (const unused of unusedAnswers) showUnused(printer, unused);
}

export interface InboxFlags extends CommonFlags {
  /** A suspension whose answer was not used. */
  readonly dismiss?: string;
}

/** In the column of kinds. */
const UNUSED = "unused_answer";

function asEntry({ suspensionId: id, at: createdAt, ...unused }: InboxUnusedAnswer): object {
  return { id, kind: UNUSED, status: "answered", createdAt, ...unused };
}

async function dismiss(desk: Desk, suspensionId: string): Promise<SuspensionsReply> {
  const { unusedAnswers } = await desk.suspensions();
  const unused = unusedAnswers.find((each) => each.suspensionId === suspensionId);
  if (unused === undefined)
    throw new CommandFailure("No allowed action with that ID is in the inbox.", EXIT.no);
  return desk.dismissUnused(unused.sessionId, unused.runId);
}

function showUnused(printer: Printer, unused: InboxUnusedAnswer): void {
  const { suspensionId, sessionId, title, at } = unused;
  printer.line(`allowed, not done  ${title}`);
  printer.note(
    `  the agent ended its turn without it ${timeAgo(at, Date.now())}, in session ${sessionId}`,
  );
  printer.note(`  holdfast send ${sessionId} 'Do it now: …'`, printer.paint.dim);
  printer.note(`  holdfast inbox --dismiss ${suspensionId}`, printer.paint.dim);
  printer.note("");
}

function showSuspension(printer: Printer, suspension: Suspension): void {
  const { paint } = printer;
  const { id, sessionId, kind, request, createdAt } = suspension;
  printer.line(`${kind}  ${titleOf(request) ?? ""}`);
  printer.note(`  since ${timeAgo(createdAt, Date.now())}, in session ${sessionId}`);
  for (const option of optionsOf(request)) printer.line(`  ${option.id}  ${option.name}`);
  const [first] = optionsOf(request);
  const answer = first === undefined ? "'…'" : shellWord(first.id);
  printer.note(`  holdfast resume ${sessionId} --suspension ${id} --answer ${answer}`, paint.dim);
  printer.note("");
}

function titleOf(request: unknown): string | null {
  const { title } = fieldsOf(request);
  return typeof title === "string" ? title : null;
}

function optionsOf(request: unknown): readonly { readonly id: string; readonly name: string }[] {
  const { options } = fieldsOf(request);
  return (Array.isArray(options) ? options : []).flatMap((option) => {
    const { optionId, id = optionId, name } = fieldsOf(option);
    return typeof id === "string" ? [{ id, name: typeof name === "string" ? name : "" }] : [];
  });
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value))
    : {};
}
