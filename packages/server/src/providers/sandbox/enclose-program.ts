import { realpathSync } from "node:fs";
import { GitFault } from "../../git/git-fault.ts";
import type { Enclose, Program } from "../../git/program/run-program.ts";
import { findProgram } from "../acp/process/find-program.ts";
import { environmentInside, mountArguments, namespaceArguments } from "./bubblewrap.ts";
import { homeMounts, homeOf } from "./home-mounts.ts";
import { readMount, type Mount } from "./mount.ts";
import { isInside } from "./path-inside.ts";
import { arrangeMounts } from "./plan-mounts.ts";
import { programMounts, searchPathMounts, type ProgramRules } from "./program-mounts.ts";
import { systemMounts } from "./system-mounts.ts";

export interface EncloseOptions {
  /** The path of bubblewrap. */
  readonly bubblewrap: string;
  /** Whether bubblewrap can make a network, which is then empty. Otherwise programs share that of the server. */
  readonly hasOwnNetwork: boolean;
  /** Not shown, except for the folders of a program inside. */
  readonly hidden: readonly string[];
}

/** How long the mounts of a program stay the same. Finding them takes longer than starting it. */
const CACHE_MS = 30_000;
const MAX_CACHED = 200;

/**
 * Runs short programs with bubblewrap: they see the system, the user's Git settings, and their own folders. They have no network,
 * and none of their processes is left when they end.
 */
export function createEncloseProgram(options: EncloseOptions): Enclose {
  const { bubblewrap } = options;
  const cache = new Map<string, { readonly args: readonly string[]; readonly at: number }>();
  const argumentsOf = (program: Program): readonly string[] => {
    const { command, env, writes, reads = [] } = program;
    const seen = [command[0], env["PATH"], env["HOME"], env["XDG_CONFIG_HOME"], writes, reads];
    const key = JSON.stringify(seen);
    const known = cache.get(key);
    if (known !== undefined && performance.now() - known.at < CACHE_MS) return known.args;
    const args = findArguments(program, options);
    cache.delete(key);
    cache.set(key, { args, at: performance.now() });
    for (const [oldest] of cache) {
      if (cache.size <= MAX_CACHED) break;
      cache.delete(oldest);
    }
    return args;
  };
  return (program) => {
    for (const folder of [...program.writes, ...(program.reads ?? [])]) refuseLink(folder);
    return {
      ...program,
      command: [
        bubblewrap,
        ...argumentsOf(program),
        "--chdir",
        program.cwd,
        "--",
        ...program.command,
      ],
      env: environmentInside(program.env),
    };
  };
}

function findArguments(
  { command, env, writes, reads = [] }: Program,
  { hasOwnNetwork, hidden }: EncloseOptions,
): readonly string[] {
  const home = homeOf(env);
  const rules: ProgramRules = {
    searchPath: env["PATH"],
    hidden: home === null ? hidden : [home, ...hidden],
    // Agents may be able to write what it only reads.
    writable: [...writes, ...reads, ...hidden],
  };
  const file = findProgram(command[0], env["PATH"]);
  const around: readonly Mount[] = [
    ...systemMounts(),
    ...homeMounts(env),
    ...(file === null ? [] : programMounts([file], rules)),
    ...searchPathMounts(rules),
  ];
  const mounts = arrangeMounts(
    [
      ...around.filter(({ path }) => !reads.includes(path)),
      ...reads.map(readMount),
      // A folder inside another one is not mounted again: a link could have taken its place.
      ...writes
        .filter((folder) => !writes.some((other) => other !== folder && isInside(folder, other)))
        .map((folder): Mount => ({ kind: "workspace", path: folder })),
    ],
    hidden.filter((each) => !reads.includes(each)),
  );
  return namespaceArguments(
    hasOwnNetwork ? ["--unshare-net"] : [],
    mounts.flatMap((mount) =>
      // What was found some seconds ago may be gone.
      mount.kind === "read" ? ["--ro-bind-try", mount.path, mount.path] : mountArguments(mount, []),
    ),
  );
}

/** Agents could put a link in the place of a folder, which would lead out of it. */
function refuseLink(folder: string): void {
  let real: string;
  try {
    real = realpathSync.native(folder);
  } catch (error) {
    throw new GitFault(`The folder ${folder} does not exist any more.`, { cause: error });
  }
  if (real !== folder) throw new GitFault(`The folder ${folder} is reached through a link.`);
}
