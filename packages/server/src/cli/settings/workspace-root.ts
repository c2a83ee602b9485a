import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { isInside } from "../../providers/sandbox/path-inside.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import type { Environment } from "./settings.ts";

export interface RootSources {
  /** `--workspace-root`. */
  readonly flag: string | undefined;
  readonly environment: Environment;
  /** `workspaceRoot` of the config file: absolute, or in the home folder. */
  readonly configured: string | null;
}

/**
 * The folder that contains all repositories. Order of precedence: flag, environment, config file. By default it is the
 * repository around the folder in which the program was started, or that folder itself.
 */
export function workspaceRootOf({ flag, environment, configured }: RootSources): string {
  const startedIn = startFolder(environment);
  const variable = environment["AGENT_WORKSPACE_ROOT"] || undefined;
  const root =
    flag === undefined ? configuredRoot(environment, configured) : path.resolve(startedIn, flag);
  if (root === null) return repositoryAround(startedIn) ?? startedIn;
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory() === true) return root;
  const advice =
    flag !== undefined
      ? "Pass an existing folder to --workspace-root."
      : variable !== undefined
        ? "Set AGENT_WORKSPACE_ROOT to an existing folder."
        : 'Change "workspaceRoot" in the config file to an existing folder.';
  throw new CommandFailure(`The workspace root ${root} is not a folder. ${advice}`, EXIT.usage);
}

/** The root of the environment, else of the config file; null if neither names one. */
export function configuredRoot(environment: Environment, configured: string | null): string | null {
  const variable = environment["AGENT_WORKSPACE_ROOT"] || undefined;
  const named = variable ?? (configured === null ? undefined : inHome(configured));
  return named === undefined ? null : path.resolve(startFolder(environment), named);
}

/** The nearest folder, from this one upwards, that is a Git repository; null if there is none. */
export function repositoryAround(folder: string): string | null {
  for (let here = path.resolve(folder); ; here = path.dirname(here)) {
    if (existsSync(path.join(here, ".git"))) return here;
    if (here === path.dirname(here)) return null;
  }
}

/** The nearest folder that contains both; null if only the whole file system does. */
export function commonFolder(one: string, other: string): string | null {
  for (let here = path.resolve(one); here !== path.dirname(here); here = path.dirname(here)) {
    if (isInside(path.resolve(other), here)) return here;
  }
  return null;
}

/** A folder as one word of a shell command. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The sentence after a refused path: how to start the server with a root that contains it. */
export function howToWidenRoot(root: string, requested: string | null): string {
  const wanted = requested === null ? null : (commonFolder(root, requested) ?? requested);
  const folder = wanted === null ? "FOLDER" : shellWord(wanted);
  return `To change it, start the server with: holdfast serve --workspace-root ${folder}`;
}

/** `npm start` changes to the repository and leaves the folder of its caller in INIT_CWD. */
function startFolder(environment: Environment): string {
  const isNpmStart =
    environment["npm_lifecycle_event"] === "start" &&
    environment["npm_package_name"] === "holdfast-repository";
  return (isNpmStart ? environment["INIT_CWD"] || undefined : undefined) ?? process.cwd();
}

function inHome(folder: string): string {
  return folder === "~" || folder.startsWith("~/") ? path.join(homedir(), folder.slice(1)) : folder;
}
