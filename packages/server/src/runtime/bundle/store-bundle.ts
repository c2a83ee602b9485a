import { setImmediate } from "node:timers/promises";
import type { Session } from "../../domain/session.ts";
import type { Staging, ImportAdded, ImportFinished } from "../../storage/ports/import-store.ts";
import { StorageFault } from "../../storage/fault.ts";
import type { NewMessage, Store } from "../../storage/store.ts";
import type { CommandContext } from "../execute-command.ts";
import { bundleParts } from "./bundle-parts.ts";
import { BadBundle, type BundleOutline } from "./read-bundle.ts";
import { newNames, renamedPart, renamedRow, renamedSession, type Naming } from "./renamed.ts";
import type { Spool } from "./spool.ts";

export interface BundleImport {
  readonly at: number;
  /** The session to create. */
  readonly session: Session;
  readonly outline: BundleOutline;
  /** The lines with its history. */
  readonly spool: Spool;
}

export type Stored =
  | { readonly ok: true }
  | { readonly ok: false; readonly refused: "session_exists" | "being_imported" };

/** New ids are unique, so a second collision would be a defect. */
const MAX_TRIES = 3;
const KEEP_IDS: Naming = (id) => id;

/**
 * Writes the history in parts, so that other writes can run between them. The session becomes visible with the last
 * part. Ids are kept; if another session uses one of them, all messages, runs and suspensions get new ids.
 */
export async function storeBundle(context: CommandContext, bundle: BundleImport): Promise<Stored> {
  const { store, newId } = context;
  const { session, at } = bundle;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const named = tries === 0 ? KEEP_IDS : newNames(newId());
    const staging: Staging = { sessionId: session.id, importId: newId() };
    const begun = await begin(store, staging, at);
    if (!begun.ok) return begun;
    const outcome = await storeParts(context, { ...bundle, staging, named }).catch(
      async (error: unknown) => {
        // Anything that cannot be removed now is removed at the next start.
        await dropImport(store, staging).catch(() => {});
        throw error;
      },
    );
    if (outcome === "stored") return { ok: true };
    await dropImport(store, staging);
  }
  throw new Error(`unreachable: new ids for session ${session.id} were taken again and again`);
}

async function begin(store: Store, staging: Staging, at: number): Promise<Stored> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const begun = await store.beginImport({ staging, at });
    if (begun.ok) return begun;
    if (begun.refused !== "left_over") return { ok: false, refused: begun.refused };
    await dropImport(store, begun.staging);
  }
  return { ok: false, refused: "being_imported" };
}

interface ImportTry extends BundleImport {
  readonly staging: Staging;
  readonly named: Naming;
}

async function storeParts(
  context: CommandContext,
  bundle: ImportTry,
): Promise<"stored" | "ids_taken"> {
  const { staging, named, outline, spool } = bundle;
  for await (const part of bundleParts(spool.lines(), outline)) {
    const added = await context.store.addToImport({ staging, ...renamedPart(part, named) });
    if (added.ok) {
      await setImmediate();
      continue;
    }
    if (added.refused === "ids_taken") return "ids_taken";
    const line = [...part.lineOf].find(([id]) => isAbout(added, named(id)))?.[1];
    throw toError(added, line);
  }
  return finish(context, bundle);
}

/** Drops the repository or agent id that cannot be used here; a notice in the transcript says so. */
async function finish(
  { store, newId }: CommandContext,
  { at, session: exported, outline, staging, named }: ImportTry,
): Promise<"stored" | "ids_taken"> {
  let session = renamedSession(exported, named);
  for (;;) {
    const finished = await store.finishImport({
      staging,
      at,
      session,
      lastSeq: Math.max(outline.session.lastSeq, 1),
      suspensions: outline.open.map((suspension) => renamedRow(suspension, named)),
      notices: noticesOf(session, outline).map((text): NewMessage => ({
        id: newId(),
        runId: null,
        role: "system",
        content: { type: "text", text, notice: "session_imported" },
      })),
    });
    if (finished.ok) return "stored";
    switch (finished.refused) {
      case "ids_taken":
        return "ids_taken";
      case "repo_missing":
        session = { ...session, repoId: null };
        break;
      case "agent_id_taken":
        session = { ...session, agentId: null };
        break;
      default:
        throw toError(finished, undefined);
    }
  }
}

/** The differences from the exported session, for the transcript. */
function noticesOf(
  session: Session,
  { repoPath, session: { session: exported } }: BundleOutline,
): readonly string[] {
  const notices: string[] = [];
  const canWork = "activity" in session.standing;
  if (canWork && repoPath !== null && session.repoId === null) {
    notices.push(
      `Imported without its repository: ${repoPath} is not registered here. ` +
        "The session can be read, but no agent can work in it. To continue it, delete it, add the repository and import the bundle again.",
    );
  }
  if (exported.agentId !== session.agentId) {
    notices.push(`Imported without its agent id: another session here has ${exported.agentId}.`);
  }
  const queued = session.queue.length;
  if (queued > 0) {
    notices.push(
      `Imported with ${queued} queued ${queued === 1 ? "message" : "messages"}, ` +
        'which may have been delivered where the session came from. They are held until delivery is set to "open".',
    );
  }
  return notices;
}

/** Deletes the rows of an import in parts, so that other writes can run between them. */
async function dropImport(store: Store, staging: Staging, signal?: AbortSignal): Promise<void> {
  while (signal?.aborted !== true && !(await store.dropImport(staging))) await setImmediate();
}

/** Deletes the rows of imports whose process died. */
export async function dropLeftImports(store: Store, signal: AbortSignal): Promise<void> {
  for (const staging of await store.abandonedImports()) await dropImport(store, staging, signal);
}

type Refused = Extract<ImportAdded | ImportFinished, { readonly ok: false }>;

function isAbout(refused: Refused, id: string): boolean {
  if (refused.refused === "repeated") return refused.id === id;
  return refused.refused === "no_run" && refused.suspensionId === id;
}

function toError(refused: Refused, line: number | undefined): Error {
  const where = line === undefined ? "The bundle" : `Line ${line}`;
  switch (refused.refused) {
    case "repeated":
      return new BadBundle(`${where} repeats the id ${refused.id}.`);
    case "no_run":
      return new BadBundle(`${where} is a suspension of a run that does not come before it.`);
    case "import_lost":
      return new StorageFault(
        "database_error",
        "The import paused for too long between two parts and was dropped. Try again.",
      );
    default:
      throw new Error(`unreachable: an import was refused as ${refused.refused}`);
  }
}
