import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import type { Workspace } from "../provider.ts";
import type { Mount } from "./mount.ts";

/** Descriptors it is started with besides the usual three: where it tells the pid; for the agent; the repository's folder. */
export const STATUS_DESCRIPTOR = 3;
export const OUTPUT_DESCRIPTOR = 4;
const WORKSPACE_DESCRIPTOR = 5;

/** What makes bubblewrap run a command with nothing in sight but these. */
export function bubblewrapArguments({
  mounts,
  workspace,
  command,
}: {
  readonly mounts: readonly Mount[];
  readonly workspace: Workspace;
  readonly command: readonly string[];
}): readonly string[] {
  const isRoot = process.getuid?.() === 0;
  return [
    "--die-with-parent",
    // Apart from bubblewrap's own processes, so that the agent alone can be told to end.
    "--new-session",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    ...(isRoot ? OF_ROOT : []),
    ...mounts.flatMap((mount) => argumentsOf(mount, workspace)),
    "--proc",
    "/proc",
    ...(isRoot ? kernelSettings().flatMap((file) => ["--ro-bind", file, file]) : []),
    "--dev",
    "/dev",
    "--remount-ro",
    "/",
    "--json-status-fd",
    String(STATUS_DESCRIPTOR),
    "--chdir",
    workspace.path,
    "--",
    ...WITH_OUTPUT_OF_ITS_OWN,
    ...command,
  ];
}

/**
 * Bubblewrap's processes keep their stdout open for as long as they live, and no other descriptor: what is to be seen
 * closed when the agent closes it comes as another one.
 */
const WITH_OUTPUT_OF_ITS_OWN = [
  "/bin/sh",
  "-c",
  `exec "$@" >&${OUTPUT_DESCRIPTOR} ${OUTPUT_DESCRIPTOR}>&-`,
  "sh",
];

/** What root keeps: to work with files of other users, where there are any in sight. */
const OF_ROOT = [
  "--cap-drop",
  "ALL",
  ...["CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER"].flatMap((one) => ["--cap-add", one]),
];

/**
 * Settings of the whole machine, which root may change without any capability: one of them names a program that the
 * kernel runs, outside. Bubblewrap leaves some of them as they are.
 */
function kernelSettings(): readonly string[] {
  return readdirSync("/proc", { withFileTypes: true })
    .filter((entry) => !/^\d+$/u.test(entry.name))
    .filter((entry) => entry.isDirectory() || (entry.isFile() && isWritable(entry.name)))
    .map(({ name }) => path.join("/proc", name));
}

function isWritable(name: string): boolean {
  const mode = statSync(path.join("/proc", name), { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & 0o222) !== 0;
}

function argumentsOf(mount: Mount, { descriptor }: Workspace): readonly string[] {
  switch (mount.kind) {
    case "workspace":
      return descriptor === null
        ? ["--bind", mount.path, mount.path]
        : ["--bind-fd", String(WORKSPACE_DESCRIPTOR), mount.path];
    case "write":
      return ["--bind", mount.path, mount.path];
    case "read":
      return ["--ro-bind", mount.path, mount.path];
    case "fresh":
      return ["--tmpfs", mount.path];
    case "blank":
      return ["--ro-bind", "/dev/null", mount.path];
    case "link":
      return ["--symlink", mount.to, mount.path];
    default:
      return mount satisfies never;
  }
}
