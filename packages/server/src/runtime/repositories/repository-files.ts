import type { Repositories } from "./repositories.ts";
import type { Reply } from "../reply.ts";
import { listFiles, type FileList } from "./list-files.ts";
import { rankFiles } from "./rank-files.ts";

const BOUNDS = { maxEntries: 20_000, withinMs: 300 };
/** A list is cached while a user types a path. */
const CACHED_MS = 5_000;
const CACHED_REPOSITORIES = 8;

export interface FindFiles {
  readonly repoId: string;
  readonly query: string;
  readonly limit: number;
}

export interface FileMatches {
  /** Paths relative to the repository's folder, best match first. */
  readonly files: readonly string[];
  /** The search ended at its limit of files or time. */
  readonly truncated: boolean;
}

export type FileFinder = (request: FindFiles) => Promise<Reply<FileMatches>>;

export function createFileFinder(
  repositories: Pick<Repositories, "openForAgent">,
  { clock }: { readonly clock: () => number },
): FileFinder {
  const cache = new Map<string, { readonly at: number; readonly list: Promise<FileList> }>();

  const listOf = (folder: string): Promise<FileList> => {
    const cached = cache.get(folder);
    if (cached !== undefined && Math.abs(clock() - cached.at) < CACHED_MS) return cached.list;
    const list = listFiles(folder, BOUNDS);
    cache.delete(folder);
    cache.set(folder, { at: clock(), list });
    for (const [oldest] of cache) if (cache.size > CACHED_REPOSITORIES) cache.delete(oldest);
    list.catch(() => cache.delete(folder));
    return list;
  };

  return async ({ repoId, query, limit }) => {
    const opened = await repositories.openForAgent(repoId);
    if (!opened.ok) return opened;
    await opened.workspace.close();
    const { paths, truncated } = await listOf(opened.workspace.path);
    return { ok: true, files: rankFiles(paths, { query, limit }), truncated };
  };
}
