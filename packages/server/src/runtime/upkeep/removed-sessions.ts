import type { JsonObject } from "../../domain/json.ts";
import type { BundleFile, BundleFolder } from "../bundle/bundle-folder.ts";
import { parseLine } from "../bundle/line-fields.ts";
import { refuse, type Reply } from "../reply.ts";
import type { RemovedPage, RemovedSession } from "../runtime.ts";
import type { SessionSnapshot } from "../session-snapshot.ts";

/** A bundle says in its first three lines whose it is: the header, the session and its repository. */
const HEAD_LINES = 3;

export interface RemovedSessions {
  /** Newest first. */
  list(query: { readonly limit: number }): Promise<RemovedPage>;
  /** Brings the session back as it was, from its newest bundle, which is then no longer needed. */
  restore(sessionId: string): Promise<Reply<{ readonly session: SessionSnapshot }>>;
}

export interface RemovedOptions {
  readonly bundles: BundleFolder;
  /** How long a bundle is kept. */
  readonly keptMs: number;
  readonly importLines: (
    lines: AsyncIterable<string>,
  ) => Promise<Reply<{ readonly session: SessionSnapshot }>>;
}

/** The sessions that retention or cleanup removed on this machine, and whose bundles are still there. */
export function removedSessions({ bundles, keptMs, importLines }: RemovedOptions): RemovedSessions {
  return {
    async list({ limit }) {
      const files = await bundles.list();
      const removed: RemovedSession[] = [];
      for (const file of files.slice(0, limit)) {
        const head = await readHead(bundles, file);
        if (head !== null)
          removed.push({ ...head, bytes: file.bytes, keptUntil: head.removedAt + keptMs });
      }
      return { removed, total: files.length };
    },
    async restore(sessionId) {
      for (const file of await bundles.list({ sessionId })) {
        const head = await readHead(bundles, file);
        if (head?.id !== sessionId) continue;
        const imported = await importLines(bundles.lines(file));
        if (imported.ok) await bundles.remove(file.path);
        return imported;
      }
      return refuse(
        "removed_not_found",
        "No removed session with this id can be restored here: there is no bundle of it.",
      );
    },
  };
}

/** Null when the file is no bundle, or is gone by now. */
async function readHead(
  bundles: BundleFolder,
  file: BundleFile,
): Promise<Omit<RemovedSession, "bytes" | "keptUntil"> | null> {
  const lines: JsonObject[] = [];
  try {
    for await (const line of bundles.lines(file)) {
      lines.push(parseLine(line));
      if (lines.length === HEAD_LINES) break;
    }
  } catch {
    return null;
  }
  const [header = {}, session = {}, repo = {}] = lines;
  const { sessionId, exportedAt } = header;
  if (typeof sessionId !== "string" || typeof exportedAt !== "string") return null;
  const removedAt = Date.parse(exportedAt);
  if (Number.isNaN(removedAt)) return null;
  return {
    id: sessionId,
    title: textOrNull(session["title"]),
    agentName: textOrNull(session["agentName"]),
    repoPath: repo["type"] === "repo" ? textOrNull(repo["path"]) : null,
    removedAt,
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
