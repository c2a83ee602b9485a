import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { createCatalog, type Catalog, type CatalogOptions } from "../providers/catalog.ts";
import type { ContainmentKind } from "../providers/containment/containment.ts";
import { demoDefinition } from "../providers/demo/demo-definition.ts";
import { openKeptNetworks } from "../providers/network/keeper/kept-networks.ts";
import { isInside } from "../providers/sandbox/path-inside.ts";
import { openSandbox, type Sandbox } from "../providers/sandbox/sandbox.ts";
import { journalFolder } from "./settings/data-folder.ts";
import { databaseFile, type ServeSettings } from "./settings/settings.ts";
import { VERSION } from "./version.ts";

/** All providers of the settings. */
export function catalogOf(
  settings: ServeSettings,
  more: Pick<CatalogOptions, "toolsFor" | "onLeftovers" | "sandbox" | "secrets" | "host"> &
    Partial<Pick<CatalogOptions, "journalFolder">> = {},
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
    gitOwners: settings.gitOwners,
    mcpVariables: settings.mcpVariables,
    outputBytes: settings.limits.outputKiB * 1024,
    ...more,
  });
}

/** The sandbox of these settings. The paths it hides are resolved once, while they exist. */
export function openSandboxOf(settings: ServeSettings): Promise<Sandbox> {
  const { dataFolder, database, workspaceRoot } = settings;
  const own = realPath(dataFolder);
  const file = databaseFile(database);
  const isApart = file !== null && !isInside(file, own) && !isInside(file, dataFolder);
  return openSandbox({
    mode: settings.sandbox,
    ...(settings.agentHost.isOutside && { openNetwork: openKeptNetworks().open }),
    environment: process.env,
    dataFolder: own,
    hidden: [
      realpathSync(workspaceRoot),
      ...(isApart ? ["", "-wal", "-shm"].map((end) => `${file}${end}`) : []),
    ],
  });
}

/** Marks the agents of this data folder, so that the next server on it finds leftover processes. */
export function ownerOf(dataFolder: string): string {
  return createHash("sha256").update(realPath(dataFolder)).digest("hex").slice(0, 16);
}

/** A server has created its data folder; a command that only reads may not have one. */
function realPath(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : folder;
}

/** Completes the sentence "Agents run …" for the start of a server and for `doctor`. */
export async function describeSandbox(sandbox: Sandbox): Promise<string> {
  const { state, madeWith, network } = sandbox;
  const { mode, reason } = state;
  switch (network?.kind) {
    case "full":
      return `in a sandbox (${madeWith}, slirp4netns), which is closed to this machine`;
    case "proxy":
      return `in a sandbox (${madeWith}), which is closed to this machine and to programs that use no proxy. ${network.why}`;
    case "shared":
      return `in a sandbox (${madeWith}), which shares the network of this machine. A network of its own does not work here: ${network.why}`;
    case undefined:
      return mode === "required"
        ? `are not started: a sandbox is required. ${reason}`
        : `without a sandbox. ${reason}${KEPT_TOGETHER[(await sandbox.containment()) ?? "marker"]}`;
    default:
      return network satisfies never;
  }
}

const KEPT_TOGETHER: Readonly<Record<ContainmentKind, string>> = {
  "pid-namespace": "",
  "control-group": "",
  marker: " Processes that an agent hides on purpose can outlive it.",
};
