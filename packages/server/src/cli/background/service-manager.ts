import { spawnSync } from "node:child_process";
import { homedir, userInfo } from "node:os";
import path from "node:path";
import { CommandFailure } from "../exit.ts";
import type { Environment } from "../settings/settings.ts";
import { shellWord } from "../terminal/format.ts";
import { LAUNCHD_LABEL, launchdAgent, SYSTEMD_NAME, systemdUnit } from "./service-file.ts";
import type { ServiceDescription } from "./service-file.ts";

type CommandWords = readonly [program: string, ...args: string[]];

/** The part of the operating system that starts programs for a user. */
export interface ServiceManager {
  readonly name: "systemd" | "launchd";
  /** The file that describes the service. */
  readonly file: string;
  readonly fileText: (service: ServiceDescription) => string;
  /** Succeeds where services of this user can be managed. */
  readonly probe: CommandWords;
  /** Makes a new or changed service file known and starts the service, also at each login. */
  readonly enable: readonly CommandWords[];
  /** Stops the service. */
  readonly disable: readonly CommandWords[];
  /** After the file is removed. */
  readonly forget: readonly CommandWords[];
  /** Succeeds if the service is active. */
  readonly isActive: CommandWords;
  /** How the service can run while nobody is logged in; null if it cannot. */
  readonly beforeLogin: string | null;
}

export function serviceManager(
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): ServiceManager {
  if (platform === "linux") return systemd(environment);
  if (platform === "darwin") return launchd();
  throw new CommandFailure("A service can be installed on Linux with systemd, and on macOS.");
}

function systemd({ XDG_CONFIG_HOME: configured = "" }: Environment): ServiceManager {
  const config = configured === "" ? path.join(homedir(), ".config") : configured;
  const systemctl = (...args: string[]): CommandWords => ["systemctl", "--user", ...args];
  return {
    name: "systemd",
    file: path.join(config, "systemd", "user", SYSTEMD_NAME),
    fileText: systemdUnit,
    probe: systemctl("show-environment"),
    enable: [
      systemctl("daemon-reload"),
      systemctl("enable", SYSTEMD_NAME),
      systemctl("restart", SYSTEMD_NAME),
    ],
    disable: [systemctl("disable", "--now", SYSTEMD_NAME)],
    forget: [systemctl("daemon-reload")],
    isActive: systemctl("is-active", "--quiet", SYSTEMD_NAME),
    beforeLogin: `loginctl enable-linger ${shellWord(userInfo().username)}`,
  };
}

function launchd(): ServiceManager {
  const file = path.join(homedir(), "Library", "LaunchAgents", `${LAUNCHD_LABEL}.plist`);
  const domain = `gui/${userInfo().uid}`;
  const target = `${domain}/${LAUNCHD_LABEL}`;
  return {
    name: "launchd",
    file,
    fileText: launchdAgent,
    probe: ["launchctl", "print", domain],
    enable: [["launchctl", "bootstrap", domain, file]],
    disable: [["launchctl", "bootout", target]],
    forget: [],
    isActive: ["launchctl", "print", target],
    beforeLogin: null,
  };
}

const COMMAND_TIMEOUT_MS = 60_000;

/** Null if the command succeeded, else the last line that it printed. */
export function failureOfCommand([program, ...args]: CommandWords): string | null {
  const result = spawnSync(program, args, { encoding: "utf8", timeout: COMMAND_TIMEOUT_MS });
  if (result.error === undefined && result.status === 0) return null;
  const lines = `${result.stdout ?? ""}${result.stderr ?? ""}`.trim().split("\n");
  return result.error?.message ?? (lines.at(-1) || `exit code ${result.status}`);
}

/** As it can be typed into a shell. */
export function commandText(words: CommandWords): string {
  return words.map(shellWord).join(" ");
}
