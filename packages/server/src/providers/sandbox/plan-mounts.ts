import { existsSync } from "node:fs";
import path from "node:path";
import type { ToolServer, Workspace } from "../provider.ts";
import { askedMounts, homeMounts, homeOf } from "./home-mounts.ts";
import { inOrder, type Mount } from "./mount.ts";
import { isInside } from "./path-inside.ts";
import { programMounts, searchPathMounts, type Reach } from "./program-mounts.ts";
import { hide, systemMounts } from "./system-mounts.ts";
import { worktreeMounts } from "./worktree-mount.ts";

export interface Inmate {
  readonly workspace: Workspace;
  /** The program's path and its arguments. */
  readonly command: readonly string[];
  /** All variables it is started with. */
  readonly environment: Readonly<Record<string, string>>;
  /** As in a definition. */
  readonly mounts: readonly string[];
  /** What it starts beside itself. */
  readonly toolServers: readonly ToolServer[];
}

/** Everything that is to be seen, what is inside another after that other. Nothing else is there. */
export function planMounts(inmate: Inmate, hidden: readonly string[]): readonly Mount[] {
  const { workspace, environment, command, toolServers } = inmate;
  const home = homeOf(environment);
  const precious = home === null ? hidden : [home, ...hidden];
  const asked = [...askedMounts(inmate.mounts, environment), ...worktreeMounts(workspace.path)];
  const written = asked.filter(({ kind }) => kind === "write").map((mount) => mount.path);
  const theirs = [workspace.path, ...written];
  const reach: Reach = { searchPath: environment["PATH"], precious, theirs };
  const mounts: readonly Mount[] = [
    { kind: "workspace", path: workspace.path },
    ...systemMounts(),
    ...homeMounts(environment),
    ...asked,
    ...[command, ...toolServers.map((server) => [server.command, ...server.args])].flatMap((one) =>
      programMounts(one, reach),
    ),
    ...searchPathMounts({ ...reach, theirs: [...theirs, ...hidden] }),
    ...certificateMounts(environment),
  ];
  const masks = hidden
    .filter((one) => mounts.some((mount) => shows(mount) && isInside(one, mount.path)))
    .flatMap(hide);
  return withoutNeedless(inOrder([...mounts, ...masks]));
}

/** Inside a folder that agents can write, a path leads wherever they want: what is there is seen with the folder. */
function withoutNeedless(mounts: readonly Mount[]): readonly Mount[] {
  const kept: Mount[] = [];
  for (const mount of mounts) {
    const around = kept.findLast((one) => isInside(mount.path, one.path));
    const isSeen =
      around !== undefined &&
      ((mount.kind === "read" && shows(around)) ||
        (mount.kind === "write" && (around.kind === "write" || around.kind === "workspace")));
    if (!isSeen) kept.push(mount);
  }
  return kept;
}

function shows({ kind }: Mount): boolean {
  return kind === "workspace" || kind === "write" || kind === "read";
}

function certificateMounts(environment: Inmate["environment"]): readonly Mount[] {
  return CERTIFICATES.flatMap((name) => environment[name] ?? [])
    .filter((file) => path.isAbsolute(file) && path.resolve(file) !== "/" && existsSync(file))
    .map((file): Mount => ({ kind: "read", path: path.resolve(file) }));
}

const CERTIFICATES = [
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
  "GIT_SSL_CAINFO",
];
