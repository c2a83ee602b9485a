import type { JsonObject } from "../../domain/json.ts";
import type { BundleFile, BundleFolder } from "../bundle/bundle-folder.ts";
import { parseLine } from "../bundle/parse-line.ts";
import { refuse } from "../reply.ts";
import type { SessionReply } from "../session-snapshot.ts";

/** The header, the session and its repository. */
const HEAD_LINES = 3;

export interface RemovedPage {
  readonly removed: readonly RemovedSession[];
  /** Number of bundles. */
  readonly total: number;
}

export interface RemovedSession {
  readonly id: string;
  readonly title: string | null;
  readonly agentName: string | null;
  readonly repoPath: string | null;
  readonly removedAt: number;
  /** It can be restored until then. */
  readonly keptUntil: number;
  readonly bytes: number;
}

/** Sessions that retention or cleanup removed on this machine. Their bundles are kept for `keptMs`. */
export function removedSessions(
  bundles: BundleFolder,
  keptMs: number,
  importLines: (lines: AsyncIterable<string>) => Promise<SessionReply>,
) {
  return {
    /** Newest first. */
    async list({ limit }: { readonly limit: number }): Promise<RemovedPage> {
      const files = await bundles.list();
      const removed: RemovedSession[] = [];
      for (const file of files.slice(0, limit)) {
        const head = await readHead(bundles, file);
        if (head !== null)
          removed.push({ ...head, bytes: file.bytes, keptUntil: head.removedAt + keptMs });
      }
      return { removed, total: files.length };
    },
    /** Imports the newest bundle of the session and deletes the bundle. */
    async restore(sessionId: string): Promise<SessionReply> {
      for (const file of await bundles.list(sessionId)) {
        const head = await readHead(bundles, file);
        if (head?.id !== sessionId) continue;
        const imported = await importLines(bundles.lines(file));
        if (imported.ok) await bundles.remove(file.path);
        return imported;
      }
      return refuse("removed_not_found", "No removed session with this ID can be restored here.");
    },
  };
}

/** Null if the file is not a bundle or no longer exists. */
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
