import { setImmediate } from "node:timers/promises";
import type { Command } from "../../domain/kernel/command.ts";
import type { SessionQuery } from "../../storage/store.ts";
import type { RuntimeContext } from "../context.ts";
import { pagesOf } from "../pages.ts";
import { sleep } from "../sleep.ts";
import { unlessUnreadable, type SessionSnapshot } from "../session-snapshot.ts";

/** Sessions that are changed together, in one transaction. */
const AT_ONCE = 64;
/** Sessions per read. */
const PAGE = 500;
const AGAIN_MS = 2_000;

type Context = Pick<RuntimeContext, "store" | "execute" | "clock" | "log" | "obstacleOf">;

/**
 * Runs at the start of the server. Sessions that the last stop suspended become active again. Sessions that cannot
 * continue are suspended, with the reason. Starts no agent.
 */
export async function comeBack(context: Context, signal: AbortSignal): Promise<void> {
  const { store, clock, log } = context;
  const obstacleOf = rememberObstacles(context.obstacleOf);
  const counts = { resumed: 0, stuck: 0 };
  const settle = async (query: Sessions): Promise<void> => {
    const toCommand = async ({ repoId }: SessionSnapshot) =>
      ({ type: "come-back", at: clock(), obstacle: await obstacleOf(repoId) }) as const;
    await commandEach(context, query, signal, toCommand, ({ obstacle }) => {
      counts[obstacle === null ? "resumed" : "stuck"] += 1;
    });
  };
  await settle({ statuses: ["suspended"] });
  // A crash leaves sessions active. Only those whose repository is gone need a change.
  for (const { id: repoId } of await store.listRepos())
    if (!signal.aborted && (await obstacleOf(repoId)) !== null)
      await settle({ statuses: ["active"], repoId });
  if (counts.resumed + counts.stuck > 0)
    log.info(counts, "sessions are active again; those that cannot continue are suspended");
}

/** Repeats it until it succeeds, after a start on a full disk or a busy database. */
export async function comeBackLater(context: Context, signal: AbortSignal): Promise<void> {
  for (let isDone = false; !isDone && !signal.aborted;) {
    await sleep(AGAIN_MS, signal);
    isDone = await comeBack(context, signal).then(
      () => true,
      () => false,
    );
  }
}

/** Suspends every active session with a repository, because the server stops. */
export function suspendActive(context: Context, signal: AbortSignal): Promise<void> {
  return commandEach(context, { statuses: ["active"] }, signal, async ({ repoId }) =>
    repoId === null ? null : { type: "suspend", at: context.clock(), cause: "shutdown" },
  );
}

type Sessions = Pick<SessionQuery, "statuses" | "repoId">;

/** Gives a command to each session of the query. Skips sessions that are unreadable or deleted in the meantime. */
async function commandEach<One extends Command>(
  { store, execute, log }: Context,
  query: Sessions,
  signal: AbortSignal,
  toCommand: (session: SessionSnapshot) => Promise<One | null>,
  onChanged?: (command: One) => void,
): Promise<void> {
  const commandOne = async (snapshot: SessionSnapshot): Promise<void> => {
    const { id: sessionId } = snapshot;
    const command = await toCommand(snapshot);
    if (command === null) return;
    const executed = await unlessUnreadable({ sessionId, log }, () =>
      execute({ sessionId, command: (session) => (session === null ? [] : command) }),
    );
    if (executed?.ok === true && executed.events.length > 0) onChanged?.(command);
  };
  const pages = pagesOf((after) => store.listSessions({ ...query, limit: PAGE, ...after }), signal);
  for await (const { sessions } of pages) {
    for (let at = 0; at < sessions.length && !signal.aborted; at += AT_ONCE) {
      await Promise.all(sessions.slice(at, at + AT_ONCE).map(commandOne));
      await setImmediate();
    }
  }
}

/** Checks each repository once. */
export function rememberObstacles(
  obstacleOf: RuntimeContext["obstacleOf"],
): RuntimeContext["obstacleOf"] {
  const obstacles = new Map<string | null, Promise<string | null>>();
  return (repoId) => {
    const obstacle = obstacles.get(repoId) ?? obstacleOf(repoId);
    obstacles.set(repoId, obstacle);
    return obstacle;
  };
}

/**
 * Finds out why sessions of a repository cannot continue; null when they can. Only a node with the repository's label can
 * tell whether the folder exists, and another node may have a folder that this one lacks.
 */
export function findObstacles(
  { store, refuseRepository }: Pick<RuntimeContext, "store" | "refuseRepository">,
  cluster: Pick<RuntimeContext["cluster"], "isElsewhere">,
  labels: readonly string[],
): RuntimeContext["obstacleOf"] {
  return async (repoId) => {
    if (repoId === null) return null;
    const unusable = await refuseRepository(repoId);
    if (unusable === null) return null;
    const repo = await store.readRepo(repoId);
    const isOthers = repo?.label !== undefined && !labels.includes(repo.label);
    if (isOthers || (repo !== null && cluster.isElsewhere(repoId))) return null;
    return `Its repository cannot be used: ${unusable.refusal.message}`;
  };
}
