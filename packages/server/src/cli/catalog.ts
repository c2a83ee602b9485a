import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { createCatalog, type Catalog, type CatalogOptions } from "../providers/catalog.ts";
import { demoDefinition } from "../providers/demo/demo-definition.ts";
import { isInside } from "../providers/sandbox/path-inside.ts";
import { openSandbox, type Sandbox } from "../providers/sandbox/sandbox.ts";
import { journalFolder } from "./settings/data-folder.ts";
import type { ServeSettings } from "./settings/settings.ts";
import { VERSION } from "./version.ts";

/** Every provider that the settings know of. */
export function catalogOf(
  settings: ServeSettings,
  more: Pick<CatalogOptions, "toolsFor" | "onLeftovers" | "sandbox"> = {},
): Catalog {
  return createCatalog({
    demo: demoDefinition({ stateFolder: path.join(settings.dataFolder, "demo") }),
    definitions: settings.agents,
    models: settings.models,
    defaultName: settings.defaultProvider,
    owner: ownerOf(settings.dataFolder),
    environment: process.env,
    journalFolder: journalFolder(settings.dataFolder),
    clientVersion: VERSION,
    ...more,
  });
}

/** Where the agents of these settings are started. What it hides is looked up once, while it is there. */
export function openSandboxOf(settings: ServeSettings): Promise<Sandbox> {
  const { dataFolder, database, workspaceRoot } = settings;
  const own = realPath(dataFolder);
  const file = database.engine === "sqlite" ? database.file : null;
  const isApart = file !== null && !isInside(file, own) && !isInside(file, dataFolder);
  return openSandbox({
    mode: settings.sandbox,
    environment: process.env,
    dataFolder: own,
    hidden: [
      realpathSync(workspaceRoot),
      ...(isApart ? ["", "-wal", "-shm"].map((end) => `${file}${end}`) : []),
    ],
  });
}

/** Marks the agents of this data folder, so that the next server on it knows what was left. */
export function ownerOf(dataFolder: string): string {
  return createHash("sha256").update(realPath(dataFolder)).digest("hex").slice(0, 16);
}

/** A server has made its data folder; a command that only looks has not. */
function realPath(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : folder;
}
