import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  MARKER_VARIABLE,
  readMarker,
  writeMarker,
  type Marker,
} from "../acp/process/agent-environment.ts";
import type { Containment } from "./containment.ts";

/**
 * Starts each agent in a control group (version 2) below that of the server. Null where the server may not make one:
 * it may as root, and as a service of systemd with `Delegate=yes`.
 */
export function findControlGroups(): Containment | null {
  const own = ownGroup();
  if (own === null || !isOurs(own)) return null;
  return {
    kind: "control-group",
    contain: ({ program, args, env }) => {
      const group = path.join(own, nameOf(env[MARKER_VARIABLE] ?? ""));
      mkdirSync(group, { recursive: true });
      return {
        command: { program: "/bin/sh", args: ["-c", ENTER, group, program, ...args], env },
        killAll: () => end(group),
      };
    },
  };
}

/** Kills agents that an earlier server has left in control groups. */
export function sweepControlGroups(owner: string, except: readonly string[] = []): Promise<void> {
  const kept = new Set(except.map((agent) => nameOf(writeMarker({ owner, agent }))));
  return endGroups((name) => name.startsWith(`${PREFIX}${owner}-`) && !kept.has(name));
}

/** Kills one agent, if it is in a control group. */
export function endControlGroup(marker: Marker): Promise<void> {
  const wanted = nameOf(writeMarker(marker));
  return endGroups((name) => name === wanted);
}

async function endGroups(isWanted: (name: string) => boolean): Promise<void> {
  const root = mountPoint();
  if (root === null) return;
  const groups = below(root, MAX_DEPTH).filter((each) => isWanted(path.basename(each)));
  await Promise.all(groups.map(end));
}

const ENTER = 'echo 0 > "$0/cgroup.procs" || exit 125; exec "$@"';
const PREFIX = "holdfast-";
const MAX_DEPTH = 8;
const END_MS = 5_000;

function nameOf(marker: string): string {
  const { owner, agent } = readMarker(marker) ?? { owner: "", agent: marker };
  return `${PREFIX}${owner}-${agent}`.replaceAll(/[^\w-]/gu, "_");
}

/** The group of this process; null without version 2. */
function ownGroup(): string | null {
  const root = mountPoint();
  if (root === null) return null;
  const relative = /^0::(\/.*)$/mu.exec(readFileSync("/proc/self/cgroup", "utf8"))?.[1];
  return relative === undefined ? null : path.join(root, relative);
}

function mountPoint(): string | null {
  try {
    const mounts = readFileSync("/proc/self/mounts", "utf8");
    return /^\S+ (\S+) cgroup2 /mu.exec(mounts)?.[1] ?? null;
  } catch {
    return null;
  }
}

function isOurs(group: string): boolean {
  try {
    accessSync(group, constants.W_OK);
    accessSync(path.join(group, "cgroup.procs"), constants.W_OK);
    // Since Linux 5.14. The topmost group has none, but those below do.
    const test = path.join(group, `${PREFIX}test-${process.pid}`);
    mkdirSync(test);
    const canKill = existsSync(path.join(test, "cgroup.kill"));
    rmdirSync(test);
    return canKill;
  } catch {
    return false;
  }
}

/** Kills everything in the group at once, also what is just being started, and removes it. */
async function end(group: string): Promise<void> {
  for (let waitedMs = 0; existsSync(group) && waitedMs < END_MS; waitedMs += 5) {
    try {
      for (const each of below(group, MAX_DEPTH)) rmdirSync(each);
      rmdirSync(group);
      return;
    } catch {
      // There are processes in it.
    }
    kill(group);
    await pause(5);
  }
}

function kill(group: string): void {
  try {
    writeFileSync(path.join(group, "cgroup.kill"), "1");
  } catch {
    // Somebody else has removed it.
  }
}

/** All groups below another, the deepest first. */
function below(group: string, depth: number): readonly string[] {
  if (depth === 0) return [];
  try {
    return readdirSync(group, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => path.join(group, entry.name))
      .flatMap((each) => [...below(each, depth - 1), each]);
  } catch {
    return [];
  }
}
