import { randomBytes } from "node:crypto";
import path from "node:path";
import type { Outcome, Phase, Session, UpdateSessionRequest } from "@holdfast/protocol";
import type { Desk } from "../desk/desk.ts";
import type { DeskFlags } from "../desk/find-server.ts";
import { openDesk, type DeskOptions } from "../desk/open-desk.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { nameOf, toState } from "../gaia/to-state.ts";
import { openPrinter, type Column } from "../terminal/printer.ts";
import { durationText, timeAgo } from "../terminal/time-ago.ts";

export interface CommonFlags extends DeskFlags {
  readonly json?: true;
}

export interface CreateFlags extends CommonFlags {
  readonly agent?: string;
  readonly purpose?: string;
  readonly id?: string;
  readonly metadata?: string;
  readonly title?: string;
  readonly repo?: string;
  readonly provider?: string;
  readonly model?: string;
}

/** Prints the id alone, for `ID=$(holdfast create …)`. */
export async function createSession(flags: CreateFlags): Promise<void> {
  const printer = openPrinter(flags);
  const session = await withDesk(
    flags,
    async (desk) =>
      desk.sessions.create({
        agentId: flags.id ?? newAgentId(new Date()),
        agentName: flags.agent,
        purpose: flags.purpose,
        title: flags.title,
        provider: flags.provider,
        model: flags.model,
        ...(flags.metadata !== undefined && { metadata: parseMetadata(flags.metadata) }),
        ...(flags.repo !== undefined && { repoId: await repoIdOf(desk, flags.repo) }),
      }),
    { access: "create", withProviders: flags.provider !== undefined },
  );
  if (flags.json === true) printer.json(toState(session));
  else printer.line(nameOf(session));
}

/** As GAIA makes them: when, to the second, and something random. */
export function newAgentId(now: Date): string {
  const [date = "", time = ""] = now
    .toISOString()
    .replaceAll(/[-:]|\.\d+Z/gu, "")
    .split("T");
  return `agent-${date}-${time}-${randomBytes(4).toString("hex")}`;
}

export interface UpdateFlags extends CommonFlags {
  readonly phase?: Phase;
  readonly metadata?: string;
  readonly error?: string;
  readonly resetErrors?: true;
  readonly title?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly delivery?: NonNullable<UpdateSessionRequest["delivery"]>;
}

export async function updateSession(id: string, flags: UpdateFlags): Promise<void> {
  const { phase, metadata, error, resetErrors, title, provider, model, delivery } = flags;
  const changes: UpdateSessionRequest = {
    ...(phase !== undefined && { phase }),
    ...(metadata !== undefined && { metadata: parseMetadata(metadata) }),
    ...(error !== undefined && { error }),
    ...(resetErrors !== undefined && { resetErrors }),
    ...(title !== undefined && { title }),
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
    ...(delivery !== undefined && { delivery }),
  };
  if (Object.keys(changes).length === 0)
    throw new CommandFailure(
      `Nothing to change. Say what, for example: holdfast update ${id} --phase planning`,
      EXIT.usage,
    );
  const session = await withDesk(flags, (desk) => desk.sessions.update(id, changes), {
    access: "change",
    withProviders: provider !== undefined,
  });
  tellOf(session, flags, ({ phase: now }) => `${nameOf(session)} is in phase ${now}.`);
}

export async function getSession(
  id: string,
  flags: CommonFlags & { readonly raw?: true },
): Promise<void> {
  const printer = openPrinter(flags);
  const raw = flags.raw === true;
  const found = await withDesk(
    flags,
    async (desk) => (raw ? desk.sessions.raw(id) : toState(await desk.sessions.get(id))),
    { access: "read" },
  );
  printer.json(found);
}

export interface ListFlags extends CommonFlags {
  readonly activeOnly?: true;
  readonly agent?: string;
  readonly status?: Session["status"];
  readonly state?: Session["state"];
  readonly phase?: Phase;
  readonly search?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
}

const PAGE = 100;
const SHOWN_TO_PEOPLE = 50;

const LIST_COLUMNS: readonly Column[] = [
  { title: "ID" },
  { title: "AGENT", flexible: true },
  { title: "PHASE" },
  { title: "STATUS", style: (text, paint) => (text.startsWith("error") ? paint.red(text) : text) },
  { title: "ACTIVE" },
  { title: "ABOUT", flexible: true, style: (text, paint) => paint.dim(text) },
];

export async function listSessions(flags: ListFlags): Promise<void> {
  const printer = openPrinter(flags);
  const limit = flags.limit ?? (printer.isForPeople ? SHOWN_TO_PEOPLE : Infinity);
  // Scripts get GAIA's order, for which all must be read; people get the newest at once.
  const byLastUpdate = flags.activeOnly === true || !printer.isForPeople;
  const { sessions, hasMore } = await withDesk(
    flags,
    (desk) =>
      byLastUpdate ? readByLastUpdate(desk, { flags, limit }) : readNewest(desk, { flags, limit }),
    { access: "read" },
  );
  if (!printer.isForPeople) return printer.json(sessions.map(toState));
  if (sessions.length === 0) {
    return printer.note(
      "No sessions. Begin one: holdfast create --agent NAME, or on the page of holdfast serve",
    );
  }
  const now = Date.now();
  printer.table(
    sessions.map((session) => [
      nameOf(session),
      session.agentName,
      session.phase,
      statusText(session, now),
      timeAgo(session.lastActiveAt, now),
      session.title ?? session.purpose,
    ]),
    LIST_COLUMNS,
  );
  if (hasMore) printer.note(`The newest ${sessions.length}; --limit shows more.`);
}

interface Listed {
  readonly sessions: readonly Session[];
  readonly hasMore: boolean;
}

/** Resume-ready sessions where only active ones are wanted, as GAIA lists them: the last updated first. */
async function readByLastUpdate(
  desk: Desk,
  { flags, limit }: { readonly flags: ListFlags; readonly limit: number },
): Promise<Listed> {
  const { sessions } = await readNewest(desk, { flags, limit: Infinity });
  const listed = sessions
    .filter(({ resumeReady }) => flags.activeOnly !== true || resumeReady)
    .toSorted((left, right) => Date.parse(right.updatedAt) - Date.parse(left.updatedAt));
  return { sessions: listed.slice(0, limit), hasMore: listed.length > limit };
}

async function readNewest(
  desk: Desk,
  { flags, limit }: { readonly flags: ListFlags; readonly limit: number },
): Promise<Listed> {
  const { agent, status, state, phase, search, from, to } = flags;
  const sessions: Session[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<Desk["sessions"]["list"]>> = await desk.sessions.list({
      status:
        status === undefined
          ? flags.activeOnly === true
            ? ["active", "suspended"]
            : ["active", "suspended", "archived", "error"]
          : [status],
      limit: Math.min(PAGE, limit + 1),
      ...(state !== undefined && { state: [state] }),
      ...(phase !== undefined && { phase }),
      ...(agent !== undefined && { agent }),
      ...(search !== undefined && { q: search }),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(cursor !== null && { cursor }),
    });
    sessions.push(...page.sessions);
    cursor = page.nextCursor;
  } while (cursor !== null && sessions.length <= limit);
  return { sessions: sessions.slice(0, limit), hasMore: sessions.length > limit };
}

function statusText({ status, state, removeAt }: Session, now: number): string {
  const doing = state === "idle" ? "" : `, ${state === "suspended" ? "waiting" : state}`;
  return `${status}${doing}${removeAt === null ? "" : `, ${removalText(removeAt, now)}`}`;
}

function removalText(removeAt: string, now: number): string {
  const leftMs = Date.parse(removeAt) - now;
  return leftMs <= 0 ? "removed soon" : `removed in ${durationText(leftMs)}`;
}

export interface ResumeFlags extends CommonFlags {
  readonly timeoutMinutes?: number;
  readonly maxErrors?: number;
  readonly require?: readonly ("workspace" | "provider" | "lease" | "budget")[];
}

/** Exit code 0 for yes and 1 for no, so that scripts can branch on it. */
export async function shouldResume(id: string, flags: ResumeFlags): Promise<number> {
  const printer = openPrinter(flags);
  const { timeoutMinutes, maxErrors, require } = flags;
  const decision = await withDesk(
    flags,
    (desk) =>
      desk.sessions.shouldResume(id, {
        ...(timeoutMinutes !== undefined && { timeoutMinutes }),
        ...(maxErrors !== undefined && { maxErrors }),
        ...(require !== undefined && { require: [...require] }),
      }),
    { access: "read", withProviders: require?.includes("provider") === true },
  );
  if (printer.isForPeople) {
    const { paint } = printer;
    printer.line(`${decision.shouldResume ? "yes" : "no"}: ${decision.reason}`);
    printer.table(
      decision.checks.map(({ name, passed, required, value, limit }) => [
        passed ? "✓" : required ? "✗" : "·",
        name,
        inWords(name, value),
        limit === null ? "" : inWords(name, limit),
        required ? "" : "not required",
      ]),
      [
        { title: "", style: (text) => (text === "✗" ? paint.red(text) : text) },
        { title: "CHECK" },
        { title: "VALUE" },
        { title: "LIMIT" },
        { title: "", style: (text) => paint.dim(text) },
      ],
    );
  } else {
    const { shouldResume: yes, reason, checks } = decision;
    printer.json({ should_resume: yes, reason, agent_id: id, checks });
  }
  return decision.shouldResume ? EXIT.done : EXIT.no;
}

function inWords(check: string, value: boolean | number | string): string {
  return check === "last_activity" && typeof value === "number"
    ? durationText(value)
    : String(value);
}

export interface FinalizeFlags extends CommonFlags {
  readonly summary?: string;
}

export async function finalizeSession(
  id: string,
  outcome: Outcome,
  flags: FinalizeFlags,
): Promise<void> {
  const { summary } = flags;
  const session = await withDesk(
    flags,
    (desk) => desk.sessions.finalize(id, { outcome, ...(summary !== undefined && { summary }) }),
    { access: "change" },
  );
  tellOf(session, flags, () => `${nameOf(session)} is ${outcome}.`);
}

/** A sentence for people, the state for scripts. */
export function tellOf(
  session: Session,
  flags: CommonFlags,
  sentence: (session: Session) => string,
): void {
  const printer = openPrinter(flags);
  if (printer.isForPeople) printer.line(sentence(session));
  else printer.json(toState(session));
}

/** Opens, asks, closes. */
export async function withDesk<Result>(
  flags: DeskFlags,
  ask: (desk: Desk) => Promise<Result>,
  options: DeskOptions,
): Promise<Result> {
  const desk = await openDesk(flags, options);
  try {
    return await ask(desk);
  } finally {
    await desk.close();
  }
}

/** A repository by its id, or by its path, which is added when it is new. */
async function repoIdOf(desk: Desk, given: string): Promise<string> {
  const { repos } = await desk.repos.list();
  const folder = path.resolve(given);
  const known = repos.find((repo) => [repo.id, repo.name].includes(given) || repo.path === folder);
  return (known ?? (await desk.repos.add({ path: folder }))).id;
}

export function parseMetadata(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return Object.fromEntries(Object.entries(value));
  } catch {
    // Said below, in words that help.
  }
  throw new CommandFailure(
    `--metadata must be a JSON object, for example: --metadata '{"task_id": "T001"}'`,
    EXIT.usage,
  );
}
