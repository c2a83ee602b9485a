import { defined } from "../../domain/defined.ts";
import { randomBytes } from "node:crypto";
import path from "node:path";
import type { Outcome, Phase, Session, UpdateSessionRequest } from "@holdfast/protocol";
import type { SessionGateway } from "../gateway/session-gateway.ts";
import type { GatewayFlags } from "../gateway/find-server.ts";
import { openGateway, type GatewayOptions } from "../gateway/open-gateway.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { nameOf, toState } from "../gaia/to-state.ts";
import { openPrinter, type Column } from "../terminal/printer.ts";
import { durationText, timeAgo } from "../terminal/format.ts";

export interface CommonFlags extends GatewayFlags {
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

/** Prints only the ID, for `ID=$(holdfast create …)`. */
export async function createSession(flags: CreateFlags): Promise<void> {
  const printer = openPrinter(flags);
  const session = await withGateway(
    flags,
    async (gateway) =>
      gateway.sessions.create({
        agentId: flags.id ?? newAgentId(new Date()),
        agentName: flags.agent,
        purpose: flags.purpose,
        title: flags.title,
        provider: flags.provider,
        model: flags.model,
        ...(flags.metadata !== undefined && { metadata: parseMetadata(flags.metadata) }),
        ...(flags.repo !== undefined && { repoId: await repoIdOf(gateway, flags.repo) }),
      }),
    { access: "create", withProviders: flags.provider !== undefined },
  );
  if (flags.json === true) printer.json(toState(session));
  else printer.line(nameOf(session));
}

/** In GAIA's form: date, time and a random part. */
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
  const changes: UpdateSessionRequest = defined({
    phase,
    metadata: metadata === undefined ? undefined : parseMetadata(metadata),
    error,
    resetErrors,
    title,
    provider,
    model,
    delivery,
  });
  if (Object.keys(changes).length === 0)
    throw new CommandFailure(
      `Nothing to change. Pass at least one option, for example: holdfast update ${id} --phase planning`,
      EXIT.usage,
    );
  const session = await withGateway(flags, (gateway) => gateway.sessions.update(id, changes), {
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
  const found = await withGateway(
    flags,
    async (gateway) => (raw ? gateway.sessions.raw(id) : toState(await gateway.sessions.get(id))),
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
  // Scripts get GAIA's order, which needs all sessions; people get the newest ones at once.
  const byLastUpdate = flags.activeOnly === true || !printer.isForPeople;
  const { sessions, hasMore } = await withGateway(
    flags,
    (gateway) =>
      byLastUpdate
        ? readByLastUpdate(gateway, { flags, limit })
        : readNewest(gateway, { flags, limit }),
    { access: "read" },
  );
  if (!printer.isForPeople) return printer.json(sessions.map(toState));
  if (sessions.length === 0) {
    return printer.note("No sessions. Create one with: holdfast create --agent NAME");
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
  if (hasMore) printer.note(`Showing the newest ${sessions.length}. Pass --limit for more.`);
}

interface Listed {
  readonly sessions: readonly Session[];
  readonly hasMore: boolean;
}

/** GAIA's list: last updated first. With `--active-only`, only sessions that are ready to be resumed. */
async function readByLastUpdate(
  gateway: SessionGateway,
  { flags, limit }: { readonly flags: ListFlags; readonly limit: number },
): Promise<Listed> {
  const { sessions } = await readNewest(gateway, { flags, limit: Infinity });
  const listed = sessions
    .filter(({ resumeReady }) => flags.activeOnly !== true || resumeReady)
    .toSorted((left, right) => Date.parse(right.updatedAt) - Date.parse(left.updatedAt));
  return { sessions: listed.slice(0, limit), hasMore: listed.length > limit };
}

async function readNewest(
  gateway: SessionGateway,
  { flags, limit }: { readonly flags: ListFlags; readonly limit: number },
): Promise<Listed> {
  const { agent, status, state, phase, search, from, to } = flags;
  const sessions: Session[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<SessionGateway["sessions"]["list"]>> =
      await gateway.sessions.list({
        status:
          status === undefined
            ? flags.activeOnly === true
              ? ["active", "suspended"]
              : ["active", "suspended", "archived", "error"]
            : [status],
        limit: Math.min(PAGE, limit + 1),
        ...defined({ phase, agent, q: search, from, to }),
        ...(state !== undefined && { state: [state] }),
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
  const decision = await withGateway(
    flags,
    (gateway) =>
      gateway.sessions.shouldResume(id, {
        ...defined({ timeoutMinutes, maxErrors }),
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
  const session = await withGateway(
    flags,
    (gateway) => gateway.sessions.finalize(id, defined({ outcome, summary })),
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

/** Opens a gateway for one piece of work. */
export async function withGateway<Result>(
  flags: GatewayFlags,
  ask: (gateway: SessionGateway) => Promise<Result>,
  options: GatewayOptions,
): Promise<Result> {
  const gateway = await openGateway(flags, options);
  try {
    return await ask(gateway);
  } finally {
    await gateway.close();
  }
}

/** The ID of a repository named by ID, name or path. A new path is added. */
async function repoIdOf(gateway: SessionGateway, given: string): Promise<string> {
  const { repos } = await gateway.repos.list();
  const folder = path.resolve(given);
  const known = repos.find((repo) => [repo.id, repo.name].includes(given) || repo.path === folder);
  return (known ?? (await gateway.repos.add({ path: folder }))).id;
}

export function parseMetadata(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return Object.fromEntries(Object.entries(value));
  } catch {
    // Reported below.
  }
  throw new CommandFailure(
    `--metadata must be a JSON object, for example: --metadata '{"task_id": "T001"}'`,
    EXIT.usage,
  );
}
