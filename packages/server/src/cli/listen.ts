import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { errorText } from "../domain/error-text.ts";
import type { App } from "../http/app.ts";
import { socketFileIn } from "./access/socket-file.ts";
import { CommandFailure } from "./exit.ts";
import type { LogFile } from "./log-file.ts";
import { hostFolderIn } from "./settings/data-folder.ts";
import type { ServeSettings } from "./settings/settings.ts";

/**
 * Returns the URL. `dataFolder`: of a server whose agents outlive it, else null. They know the port, so that the next server
 * takes it again, where any free one would do.
 */
export async function listen(
  app: App,
  { host, port }: ServeSettings,
  dataFolder: string | null,
): Promise<string> {
  const former = port === 0 && dataFolder !== null ? formerPort(dataFolder) : null;
  const isFree = former !== null && (await canListen({ host, port: former }));
  try {
    await app.listen({ host, port: isFree ? former : port });
  } catch (error) {
    throw new CommandFailure(listenFailure(error, { host, port }), undefined, { cause: error });
  }
  const address = app.server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  if (dataFolder !== null) keepPort(dataFolder, bound);
  return `http://${host.includes(":") ? `[${host}]` : host}:${bound}`;
}

/** The API for programs of this user, without a token. A server works without it. */
export async function openSocket(
  app: App,
  { dataFolder }: ServeSettings,
  logger: LogFile["logger"],
): Promise<() => Promise<unknown>> {
  const file = socketFileIn(dataFolder);
  try {
    const { listenOnSocket } = await import("../http/server/local-socket.ts");
    const socket = await listenOnSocket(app, file);
    return async () => socket.close();
  } catch (err) {
    logger.warn({ err, file }, "there is no Unix socket: commands use the token file instead");
    return async () => {};
  }
}

const PORT_FILE = "port";

function formerPort(dataFolder: string): number | null {
  try {
    const port = Number(readFileSync(path.join(hostFolderIn(dataFolder), PORT_FILE), "utf8"));
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : null;
  } catch {
    return null;
  }
}

function keepPort(dataFolder: string, port: number): void {
  try {
    writeFileSync(path.join(hostFolderIn(dataFolder), PORT_FILE), String(port), { mode: 0o600 });
  } catch {
    // On a full disk, tools of agents do not find the next server.
  }
}

function canListen(where: { readonly host: string; readonly port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(where, () => probe.close(() => resolve(true)));
  });
}

function listenFailure(error: unknown, { host, port }: { host: string; port: number }): string {
  const code = error instanceof Error && "code" in error ? error.code : null;
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is in use. Choose another with --port, or --port 0 for any free one.`;
    case "EACCES":
      return `Port ${port} on ${host} needs privileges that this user does not have. Choose one above 1023 with --port.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `${host} is not an address of this machine. Choose another with --host.`;
    default:
      return `Cannot listen on ${host}:${port}: ${errorText(error)}`;
  }
}
