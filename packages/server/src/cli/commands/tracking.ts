import { defined } from "../../domain/defined.ts";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import path from "node:path";
import type {
  CreateSessionRequest,
  ListSessionsQuery,
  Outcome,
  Phase,
  Session,
  SessionList,
  UpdateSessionRequest,
} from "@holdfast/protocol";
import { isObject } from "../../domain/json.ts";
import { STATUSES } from "../../domain/status.ts";
import type { SessionGateway } from "../gateway/session-gateway.ts";
import type { CommonFlags } from "../gateway/find-server.ts";
import { withGateway } from "../gateway/open-gateway.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { WrongUsage } from "../failure/wrong-usage.ts";
import { connectionsOf, type ConnectionFlags } from "./connection-flags.ts";
import { repositoryAround } from "../settings/workspace-root.ts";
import { nameOf, toState } from "../gaia/to-state.ts";
import { openPrinter } from "../terminal/printer.ts";
import type { Column } from "../terminal/table.ts";
import { durationText } from "../terminal/format.ts";
import { commandLine } from "../terminal/invocation.ts";

export interface CreateFlags extends CommonFlags, ConnectionFlags {
  readonly agent?: string;
  readonly purpose?: string;
  readonly id?: string;
  readonly metadata?: string;
  readonly title?: string;
  /** False with `--no-repo`. */
  readonly repo?: string | false;
  readonly worktree?: true;
  readonly shared?: true;
  readonly base?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly mode?: string;
  readonly option?: NonNullable<CreateSessionRequest["options"]>;
}

/** Prints only the ID, for `ID=$(holdfast create …)`. */
export async function createSession(flags: CreateFlags): Promise<void> {
  const { id, agent, purpose, title, provider, model, mode, option, metadata } = flags;
  const repo = repositoryFor(flags);
  const connections = connectionsOf(flags);
  const session = await withGateway(
    flags,
    "create",
    async (gateway) =>
      gateway.sessions.create({
        agentId: id ?? newAgentId(new Date()),
        agentName: agent,
        purpose,
        title,
        provider,
        model,
        mode,
        options: option,
        ...workspaceOf(flags),
        ...connections,
        ...(metadata !== undefined && { metadata: parseMetadata(metadata) }),
        ...(repo !== null && { repoId: await repoIdOf(gateway, repo) }),
      }),
    { withProviders: provider !== undefined || mode !== undefined || option !== undefined },
  );
  const printer = openPrinter(flags);
  if (flags.json === true) printer.gaia(toState(session));
  else printer.line(nameOf(session));
}

function workspaceOf({ worktree, shared, base }: CreateFlags) {
  if (shared === true && (worktree === true || base !== undefined))
    throw new WrongUsage("Use either --shared, or --worktree and --base.");
  const workspace = shared === true ? "shared" : worktree === true ? "worktree" : undefined;
  return defined({ workspace, base } as const);
}

/**
 * The repository of a new session: the named one, else the one around the current folder. A session that only tracks an
 * agent has none, and the folders of this machine mean nothing to the server of a URL.
 */
export function repositoryFor({
  repo,
  url,
  agent,
  purpose,
  id,
}: Pick<CreateFlags, "repo" | "url" | "agent" | "purpose" | "id">): string | null {
  if (repo === false) return null;
  if (repo !== undefined) return repo;
  const onlyTracks = agent !== undefined || purpose !== undefined || id !== undefined;
  return onlyTracks || url !== undefined ? null : repositoryAround(process.cwd());
}

/** In GAIA's form: date, time and a random part. */
function newAgentId(now: Date): string {
  const [date = "", time = ""] = now
    .toISOString()
    .replaceAll(/[-:]|\.\d+Z/gu, "")
    .split("T");
  return `agent-${date}-${time}-${randomBytes(4).toString("hex")}`;
}

export interface UpdateFlags extends CommonFlags, ConnectionFlags {
  readonly phase?: Phase;
  readonly metadata?: string;
  readonly error?: string;
  readonly resetErrors?: true;
  readonly title?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly mode?: string;
  readonly option?: NonNullable<UpdateSessionRequest["options"]>;
  readonly delivery?: NonNullable<UpdateSessionRequest["delivery"]>;
}

export async function updateSession(id: string, flags: UpdateFlags): Promise<void> {
  const { phase, metadata, error, resetErrors, title, provider, model, delivery } = flags;
  const { mode, option: options } = flags;
  const changes: UpdateSessionRequest = defined({
    phase,
    metadata: metadata === undefined ? undefined : parseMetadata(metadata),
    error,
    resetErrors,
    title,
    provider,
    model,
    mode,
    options,
    delivery,
    ...connectionsOf(flags),
  });
  if (Object.keys(changes).length === 0)
    throw new CommandFailure(
      `Nothing to change. Pass at least one option, for example: ${commandLine(`update ${id} --phase planning`)}`,
      EXIT.usage,
    );
  await changeState(
    flags,
    (gateway) => gateway.sessions.update(id, changes),
    (name, session) => `${name} is in phase ${session.phase}.`,
    { withProviders: provider !== undefined || mode !== undefined || options !== undefined },
  );
}

export async function getSession(
  id: string,
  flags: CommonFlags & { readonly raw?: true },
): Promise<void> {
  const printer = openPrinter(flags);
  await withGateway(flags, "read", async ({ sessions }) => {
    if (flags.raw === true) printer.json(await sessions.raw(id));
    else printer.gaia(toState(await sessions.read(id)));
  });
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

const LIST_COLUMNS: readonly (Column | string)[] = [
  "ID",
  { title: "AGENT", flexible: true },
  "PHASE",
  { title: "STATUS", style: (text, paint) => (text.startsWith("error") ? paint.red(text) : text) },
  "ACTIVE",
  { title: "ABOUT", flexible: true, style: (text, paint) => paint.dim(text) },
];

export async function listSessions(flags: ListFlags): Promise<void> {
  const printer = openPrinter(flags);
  const limit = flags.limit ?? (printer.isForPeople ? SHOWN_TO_PEOPLE : Infinity);
  // Scripts get GAIA's order, which needs all sessions; people get the newest ones at once.
  const byLastUpdate = flags.activeOnly === true || !printer.isForPeople;
  const read = byLastUpdate ? readByLastUpdate : readNewest;
  const all = await withGateway(flags, "read", (gateway) => read(gateway, flags, limit));
  const sessions = all.slice(0, limit);
  if (!printer.isForPeople) return printer.gaia(sessions.map(toState));
  if (sessions.length === 0) {
    return printer.note(`No sessions. Create one with: ${commandLine("create")}`);
  }
  printer.table(
    sessions.map((session) => [
      nameOf(session),
      session.agentName,
      session.phase,
      statusText(session),
      printer.ago(session.lastActiveAt),
      session.title ?? session.purpose,
    ]),
    LIST_COLUMNS,
  );
  if (all.length > limit)
    printer.note(`Showing the newest ${sessions.length}. Pass --limit for more.`);
}

/** GAIA's list: last updated first. With `--active-only`, only sessions that are ready to be resumed. */
async function readByLastUpdate(
  gateway: SessionGateway,
  flags: ListFlags,
): Promise<readonly Session[]> {
  const sessions = await readNewest(gateway, flags, Infinity);
  return sessions
    .filter(({ resumeReady }) => flags.activeOnly !== true || resumeReady)
    .toSorted((left, right) => Date.parse(right.updatedAt) - Date.parse(left.updatedAt));
}

/** Reads one session more than the limit if there are more. */
async function readNewest(
  gateway: SessionGateway,
  flags: ListFlags,
  limit: number,
): Promise<readonly Session[]> {
  const { agent, status, state, phase, search, from, to } = flags;
  const listed = flags.activeOnly === true ? (["active", "suspended"] as const) : STATUSES;
  const sessions: Session[] = [];
  for await (const session of eachSession(gateway, {
    status: status === undefined ? [...listed] : [status],
    limit: Math.min(PAGE, limit + 1),
    ...defined({
      phase,
      agent,
      q: search?.trim() === "" ? undefined : search,
      from,
      to,
      state: state && [state],
    }),
  })) {
    sessions.push(session);
    if (sessions.length > limit) break;
  }
  return sessions;
}

/** All sessions of a query, page by page. */
export async function* eachSession(
  gateway: SessionGateway,
  query: Partial<ListSessionsQuery>,
): AsyncGenerator<Session> {
  let cursor: string | null = null;
  do {
    const page: SessionList = await gateway.sessions.list({
      ...query,
      ...(cursor !== null && { cursor }),
    });
    yield* page.sessions;
    cursor = page.nextCursor;
  } while (cursor !== null);
}

function statusText({ status, state, removeAt }: Session): string {
  const activity = state === "idle" ? "" : `, ${state === "suspended" ? "waiting" : state}`;
  return `${status}${activity}${removeAt === null ? "" : `, ${removalText(removeAt)}`}`;
}

function removalText(removeAt: string): string {
  const leftMs = Date.parse(removeAt) - Date.now();
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
  const query = defined({ timeoutMinutes, maxErrors, require: require && [...require] });
  const decision = await withGateway(
    flags,
    "read",
    (gateway) => gateway.sessions.shouldResume(id, query),
    { withProviders: require?.includes("provider") === true },
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
        "CHECK",
        "VALUE",
        "LIMIT",
        { title: "", style: (text) => paint.dim(text) },
      ],
    );
  } else {
    const { shouldResume: yes, reason, checks } = decision;
    printer.gaia({ should_resume: yes, reason, agent_id: id, checks });
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
  await changeState(
    flags,
    (gateway) => gateway.sessions.finalize(id, defined({ outcome, summary })),
    (name) => `${name} is ${outcome}.`,
  );
}

/** Changes a session, then prints a sentence for people or GAIA's state for scripts. */
async function changeState(
  flags: CommonFlags,
  change: (gateway: SessionGateway) => Promise<Session>,
  sentence: (name: string, session: Session) => string,
  options?: { readonly withProviders: boolean },
): Promise<void> {
  const session = await withGateway(flags, "change", change, options);
  const printer = openPrinter(flags);
  if (printer.isForPeople) printer.line(sentence(nameOf(session), session));
  else printer.gaia(toState(session));
}

/** The ID of a repository named by ID, name or a path in it. A new one is added. */
export async function repoIdOf(gateway: SessionGateway, reference: string): Promise<string> {
  const { repos } = await gateway.repos.list();
  const named = repos.find(({ id, name }) => id === reference || name === reference);
  if (named !== undefined) return named.id;
  const place = path.resolve(reference);
  const folder = (existsSync(place) ? repositoryAround(place) : null) ?? place;
  const repo = repos.find((each) => each.path === folder);
  return (repo ?? (await gateway.repos.add({ path: folder }))).id;
}

function parseMetadata(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return { ...value };
  } catch {
    // Reported below.
  }
  throw new CommandFailure(
    `--metadata must be a JSON object, for example: --metadata '{"task_id": "T001"}'`,
    EXIT.usage,
  );
}
