import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { openStore, type DatabaseLocation } from "../../../storage/open-store.ts";
import type { Store } from "../../../storage/store.ts";
import { importBundle } from "../import-bundle.ts";
import { from } from "./lines.ts";

/** The JSON argument of the process. */
export interface DyingImport {
  readonly location: DatabaseLocation;
  readonly bundle: string;
  readonly spoolFolder: string;
  /** The process kills itself after this many parts, before the last step, or while it drops the import. */
  readonly dieAt: number | "finish" | "dropping";
}

const { location, bundle, spoolFolder, dieAt }: DyingImport = JSON.parse(process.argv[2] ?? "");
const store = await openStore(location, { clock: Date.now });
let parts = 0;
const dying: Store = {
  ...store,
  addToImport: async (part) => {
    if (dieAt === "dropping" && parts === 12) throw new Error("to be dropped");
    const added = await store.addToImport(part);
    parts += 1;
    if (parts === dieAt) die();
    return added;
  },
  finishImport: async (end) => {
    if (dieAt === "finish") die();
    return store.finishImport(end);
  },
  dropImport: async (staging) => {
    const isGone = await store.dropImport(staging);
    if (dieAt === "dropping") die();
    return isGone;
  },
};
const lines = from(readFileSync(bundle, "utf8").split("\n"));
const context = { store: dying, newId: randomUUID, clock: Date.now, spoolFolder };
const imported = await importBundle(context, lines);
throw new Error(`it was to be killed: ${JSON.stringify(imported)}`);

function die(): void {
  process.kill(process.pid, "SIGKILL");
}
