/** What a service manager has to know about the server. */
export interface ServiceDescription {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** The folder in which the server starts, absolute. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The file for what the server prints. systemd has its own journal for it. */
  readonly outputFile: string;
}

export const SYSTEMD_NAME = "holdfast.service";
export const LAUNCHD_LABEL = "holdfast.server";

/** More than a stop takes: the time that runs get to finish, and ten seconds. */
const STOP_SECONDS = 30;

/** A unit of systemd for one user. `holdfast down` stops it as well: a server that ends well is not started again. */
export function systemdUnit({ command, folder, environment }: ServiceDescription): string {
  const [program = "", ...args] = command;
  // systemd replaces variables in arguments, but not in the path of the program.
  const words = [program, ...args.map((word) => word.replaceAll("$", "$$$$"))];
  const variables = Object.entries(environment).map(
    ([name, value]) => `Environment=${systemdWord(`${name}=${value}`)}`,
  );
  return [
    "[Unit]",
    "Description=Holdfast: durable sessions for coding agents",
    "",
    "[Service]",
    "Type=exec",
    // The value is the rest of the line: quotes would be part of the path.
    `WorkingDirectory=${withoutSpecifiers(folder)}`,
    ...variables,
    `ExecStart=${words.map(systemdWord).join(" ")}`,
    "# The server alone is told to stop, and ends its agents itself. A restart lets them go on.",
    "KillMode=process",
    "RestartKillSignal=SIGUSR2",
    `TimeoutStopSec=${STOP_SECONDS}`,
    "Restart=on-failure",
    "RestartSec=1",
    "# Settings that are not valid do not become valid by another start.",
    "RestartPreventExitStatus=64",
    "",
    "[Install]",
    "WantedBy=default.target",
    "",
  ].join("\n");
}

function systemdWord(text: string): string {
  const escaped = text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
  return `"${withoutSpecifiers(escaped)}"`;
}

/** systemd replaces `%h` and the like. */
function withoutSpecifiers(text: string): string {
  return text.replaceAll("%", "%%");
}

/** An agent of launchd for one user. As with systemd, a server that ends well is not started again. */
export function launchdAgent(service: ServiceDescription): string {
  const { command, folder, environment, outputFile } = service;
  const variables = Object.entries(environment).flatMap(([name, value]) => [
    `    <key>${xml(name)}</key>`,
    `    <string>${xml(value)}</string>`,
  ]);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    "<dict>",
    "  <key>Label</key>",
    `  <string>${LAUNCHD_LABEL}</string>`,
    "  <key>ProgramArguments</key>",
    "  <array>",
    ...command.map((word) => `    <string>${xml(word)}</string>`),
    "  </array>",
    "  <key>WorkingDirectory</key>",
    `  <string>${xml(folder)}</string>`,
    "  <key>EnvironmentVariables</key>",
    "  <dict>",
    ...variables,
    "  </dict>",
    "  <key>RunAtLoad</key>",
    "  <true/>",
    "  <key>KeepAlive</key>",
    "  <dict>",
    "    <key>SuccessfulExit</key>",
    "    <false/>",
    "  </dict>",
    "  <key>ExitTimeOut</key>",
    `  <integer>${STOP_SECONDS}</integer>`,
    "  <key>StandardOutPath</key>",
    `  <string>${xml(outputFile)}</string>`,
    "  <key>StandardErrorPath</key>",
    `  <string>${xml(outputFile)}</string>`,
    "</dict>",
    "</plist>",
    "",
  ].join("\n");
}

function xml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
