import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import path from "node:path";
import type { Mount } from "./mount.ts";
import { isInside } from "./path-inside.ts";

/** Programs, libraries and settings of the system, as far as they are there; read-only. */
export function systemMounts(): readonly Mount[] {
  const folders = SYSTEM.flatMap(mountOf);
  const seen = (file: string): boolean =>
    folders.some((mount) => mount.kind === "read" && isInside(file, mount.path));
  const strays = LEAD_ELSEWHERE.flatMap((file) => realOf(file) ?? []).filter((file) => !seen(file));
  return [
    ...folders,
    ...strays.map((file): Mount => ({ kind: "read", path: file })),
    ...OWN.map((folder): Mount => ({ kind: "fresh", path: folder })),
    ...SECRET.flatMap(hide),
  ];
}

const SYSTEM = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/etc",
  "/opt",
  "/nix/store",
  "/gnu/store",
  "/run/current-system",
];

/** Often links to where the system keeps them today. */
const LEAD_ELSEWHERE = [
  "/etc/resolv.conf",
  "/etc/hosts",
  "/etc/localtime",
  "/etc/ssl/certs",
  "/etc/ssl/cert.pem",
  "/etc/pki/tls/certs/ca-bundle.crt",
];

const OWN = ["/tmp", "/var/tmp"];

/** Only a server that runs as root could read most of them. */
const SECRET = [
  "/etc/shadow",
  "/etc/shadow-",
  "/etc/gshadow",
  "/etc/gshadow-",
  "/etc/sudoers",
  "/etc/sudoers.d",
  "/etc/ssl/private",
  "/etc/ssh",
  "/etc/wireguard",
  "/etc/NetworkManager/system-connections",
  // The settings of a server that systemd starts, with its keys.
  "/etc/holdfast",
];

function mountOf(folder: string): Mount[] {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (found.isSymbolicLink()) return [{ kind: "link", path: folder, to: readlinkSync(folder) }];
  return [{ kind: "read", path: folder }];
}

/** Nothing where there is nothing, or nothing that could be seen anyway. */
export function hide(file: string): Mount[] {
  try {
    const kind = lstatSync(file).isDirectory() ? "fresh" : "blank";
    return [{ kind, path: file }];
  } catch {
    return [];
  }
}

function realOf(file: string): string | null {
  try {
    return path.resolve(realpathSync(file));
  } catch {
    return null;
  }
}
