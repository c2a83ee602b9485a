import { realpathSync } from "node:fs";
import type { Mount } from "./mount.ts";

export interface SeatbeltRequest {
  readonly mounts: readonly Mount[];
  /** A folder for temporary files, which belongs to the agent alone. */
  readonly temporary: string;
  /** Ports of this machine that the agent may use; null: all of the network. */
  readonly ports: readonly number[] | null;
}

/**
 * The profile with which `sandbox-exec` of macOS runs an agent. Of several rules that match, the last one counts, and
 * a mount follows the mounts around it. There are no private folders: what bubblewrap replaces is forbidden here.
 */
export function seatbeltProfile({ mounts, temporary, ports }: SeatbeltRequest): string {
  return [
    BASE,
    ...SYSTEM.map((folder) => `(allow file-read* (subpath ${quote(folder)}))`),
    ...mounts.map(mountRule),
    `(allow file-read* file-write* (subpath ${quote(real(temporary))}))`,
    `(allow network-bind network-outbound (subpath ${quote(real(temporary))}))`,
    ...networkRules(ports),
    "",
  ].join("\n");
}

/** Programs may do what needs no files and no network, with each other only. */
const BASE = `(version 1)
(deny default)
(allow process-exec process-fork)
(allow process-info* signal (target same-sandbox))
(allow sysctl-read pseudo-tty ipc-posix-shm ipc-posix-sem)
(allow file-read-metadata)
(allow file-read* file-write* file-ioctl (regex #"^/dev/(null|zero|tty|ptmx|random|urandom|dtracehelper|ttys[0-9]+|fd/[0-9]+)$"))
(allow mach-lookup
  (global-name "com.apple.bsd.dirhelper")
  (global-name "com.apple.FSEvents")
  (global-name "com.apple.ocspd")
  (global-name "com.apple.SecurityServer")
  (global-name "com.apple.securityd.xpc")
  (global-name "com.apple.system.logger")
  (global-name "com.apple.system.notification_center")
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.opendirectoryd.membership")
  (global-name "com.apple.trustd")
  (global-name "com.apple.trustd.agent"))`;

/** Programs, libraries and settings of macOS besides those of every Unix. */
const SYSTEM = [
  "/System",
  "/Library/Apple",
  "/Library/Developer",
  "/Library/Frameworks",
  "/Library/Preferences/Logging",
  "/Applications/Xcode.app",
  "/private/etc",
  "/private/var/db/dyld",
  "/private/var/db/timezone",
  "/private/var/select",
];

function mountRule(mount: Mount): string {
  const where = `(subpath ${quote(real(mount.path))})`;
  switch (mount.kind) {
    case "workspace":
    case "write":
      return `(allow file-read* file-write* ${where})`;
    case "read":
      return `(allow file-read* ${where})\n(deny file-write* ${where})`;
    case "fresh":
    case "blank":
      return `(deny file-read-data file-write* ${where})`;
    case "other":
    case "link":
      return `(allow file-read* (literal ${quote(mount.path)}))`;
    default:
      return mount satisfies never;
  }
}

/** An agent may serve on loopback, but connect only to its own egress and to what it was given. */
function networkRules(ports: readonly number[] | null): readonly string[] {
  if (ports === null) return ["(allow network* system-socket)"];
  return [
    '(allow network-bind network-inbound (local ip "localhost:*"))',
    ...ports.map((port) => `(allow network-outbound (remote ip "localhost:${port}"))`),
  ];
}

/** The system compares resolved paths: `/tmp` is a link there. */
function real(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

/** As a string of the profile. */
function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/gu, String.raw`\$&`)}"`;
}
