import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import path from "node:path";
import { readMount, type Mount } from "./mount.ts";
import { isInside } from "./path-inside.ts";

/** Programs, libraries and settings of the system that exist here, read-only. */
export function systemMounts(): readonly Mount[] {
  const system = SYSTEM.flatMap(mountOf);
  const isMounted = (file: string): boolean =>
    system.some((mount) => mount.kind === "read" && isInside(file, mount.path));
  return [
    ...system,
    ...LINKED.flatMap(realPathOf)
      .filter((file) => !isMounted(file))
      .map(readMount),
    ...TEMPORARY.map((folder): Mount => ({ kind: "fresh", path: folder })),
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

/** Files that are often links to other folders. */
const LINKED = [
  "/etc/resolv.conf",
  "/etc/hosts",
  "/etc/localtime",
  "/etc/ssl/certs",
  "/etc/ssl/cert.pem",
  "/etc/pki/tls/certs/ca-bundle.crt",
];

const TEMPORARY = ["/tmp", "/var/tmp"];

/** Most of them are readable only for a server that runs as root. */
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
  // The settings and keys of a server that systemd starts.
  "/etc/holdfast",
];

function mountOf(folder: string): Mount[] {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  if (stats.isSymbolicLink()) return [{ kind: "link", path: folder, to: readlinkSync(folder) }];
  return [readMount(folder)];
}

/** Covers a path with an empty folder or file; nothing if it does not exist or cannot be read. */
export function hide(file: string): Mount[] {
  try {
    return [{ kind: lstatSync(file).isDirectory() ? "fresh" : "blank", path: file }];
  } catch {
    return [];
  }
}

function realPathOf(file: string): string[] {
  try {
    return [path.resolve(realpathSync(file))];
  } catch {
    return [];
  }
}
