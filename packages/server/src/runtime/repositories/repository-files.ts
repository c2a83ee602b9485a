import type { Repositories } from "./repositories.ts";
import type { FindFiles, FoundFiles } from "../runtime.ts";
import type { Reply } from "../reply.ts";
import { listFiles, type FileList } from "./list-files.ts";
import { rankFiles } from "./rank-files.ts";

const BOUNDS = { maxEntries: 20_000, withinMs: 300 };
/** A path is typed letter by letter: the files are not looked for with each of them. */
const KEPT_MS = 5_000;
const KEPT_REPOSITORIES = 8;

export type FileFinder = (request: FindFiles) => Promise<Reply<FoundFiles>>;

export function createFileFinder(
  repositories: Pick<Repositories, "openForAgent">,
  { clock }: { readonly clock: () => number },
): FileFinder {
  const kept = new Map<string, { readonly at: number; readonly list: Promise<FileList> }>();

  const listOf = (folder: string): Promise<FileList> => {
    const before = kept.get(folder);
    if (before !== undefined && Math.abs(clock() - before.at) < KEPT_MS) return before.list;
    const list = listFiles(folder, BOUNDS);
    kept.delete(folder);
    kept.set(folder, { at: clock(), list });
    for (const [oldest] of kept) if (kept.size > KEPT_REPOSITORIES) kept.delete(oldest);
    list.catch(() => kept.delete(folder));
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
