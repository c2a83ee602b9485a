import { setImmediate } from "node:timers/promises";
import type { Session } from "../../domain/session.ts";
import type { Staging, ImportAdded, ImportFinished } from "../../storage/ports/import-store.ts";
import { StorageFault } from "../../storage/fault.ts";
import type { NewMessage, Store } from "../../storage/store.ts";
import { bundleParts } from "./bundle-parts.ts";
import { dropImport } from "./drop-import.ts";
import type { ImportContext } from "./import-bundle.ts";
import { importNotices } from "./import-notices.ts";
import { BadBundle, type BundleOutline } from "./read-bundle.ts";
import {
  newNames,
  renamedPart,
  renamedSession,
  renamedSuspension,
  type Naming,
} from "./renamed.ts";
import type { Spool } from "./spool.ts";

/** A session as it is to be here, and where its history is. */
export interface Arriving {
  readonly at: number;
  readonly session: Session;
  readonly outline: BundleOutline;
  readonly spool: Spool;
}

export type Stored =
  | { readonly ok: true }
  | { readonly ok: false; readonly refused: "session_exists" | "being_imported" };

/** New ids are unique; that they were taken again and again would be something else. */
const MAX_TRIES = 3;
const AS_THEY_ARE: Naming = (id) => id;

/**
 * Writes the history in parts, so that others can write between them, and shows the session with the
 * last. Ids are kept; where one is another session's, all of this one's messages, runs and suspensions
 * get new ids.
 */
export async function storeBundle(context: ImportContext, arriving: Arriving): Promise<Stored> {
  const { store, newId } = context;
  const { session, at } = arriving;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const named = tries === 0 ? AS_THEY_ARE : newNames(newId());
    const staging: Staging = { sessionId: session.id, importId: newId() };
    const begun = await begin(store, { staging, at });
    if (!begun.ok) return begun;
    const outcome = await storeWith(context, { ...arriving, staging, named }).catch(
      async (error: unknown) => {
        // What cannot be removed now is removed at the next start.
        await dropImport(store, staging).catch(() => {});
        throw error;
      },
    );
    if (outcome === "stored") return { ok: true };
    await dropImport(store, staging);
  }
  throw new Error(`unreachable: new ids for session ${session.id} were taken again and again`);
}

async function begin(
  store: Store,
  begin: { readonly staging: Staging; readonly at: number },
): Promise<Stored> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const begun = await store.beginImport(begin);
    if (begun.ok) return begun;
    if (begun.refused !== "left_over") return { ok: false, refused: begun.refused };
    await dropImport(store, begun.staging);
  }
  return { ok: false, refused: "being_imported" };
}

interface Named extends Arriving {
  readonly staging: Staging;
  readonly named: Naming;
}

async function storeWith(context: ImportContext, arriving: Named): Promise<"stored" | "ids_taken"> {
  const { staging, named, outline, spool } = arriving;
  for await (const part of bundleParts(spool.lines(), outline)) {
    const added = await context.store.addToImport({ staging, ...renamedPart(part, named) });
    if (added.ok) {
      await setImmediate();
      continue;
    }
    if (added.refused === "ids_taken") return "ids_taken";
    const line = [...part.lineOf].find(([id]) => isAbout(added, named(id)))?.[1];
    throw toBadBundle(added, line);
  }
  return finish(context, arriving);
}

/** The session without what cannot be had here, which its transcript then says. */
async function finish(
  context: ImportContext,
  { at, session: given, outline, staging, named }: Named,
): Promise<"stored" | "ids_taken"> {
  const { store, newId } = context;
  let session = renamedSession(given, named);
  for (;;) {
    const finished = await store.finishImport({
      staging,
      at,
      session,
      lastSeq: Math.max(outline.session.lastSeq, 1),
      suspensions: outline.open.map((suspension) => renamedSuspension(suspension, named)),
      notices: importNotices(session, outline).map((text): NewMessage => ({
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
        throw toBadBundle(finished, undefined);
    }
  }
}

type Refused = Extract<ImportAdded | ImportFinished, { readonly ok: false }>;

function isAbout(refused: Refused, id: string): boolean {
  if (refused.refused === "repeated") return refused.id === id;
  return refused.refused === "no_run" && refused.suspensionId === id;
}

function toBadBundle(refused: Refused, line: number | undefined): Error {
  const where = line === undefined ? "The bundle" : `Line ${line}`;
  switch (refused.refused) {
    case "repeated":
      return new BadBundle(`${where} repeats the id ${refused.id}.`);
    case "no_run":
      return new BadBundle(`${where} is a suspension of a run that does not come before it.`);
    case "import_lost":
      return new StorageFault(
        "database_error",
        "The import took so long between two parts that it was given up. Try it again.",
      );
    default:
      throw new Error(`unreachable: an import was refused as ${refused.refused}`);
  }
}
