import { createServer } from "node:net";
import { errorText } from "../domain/error-text.ts";
import type { App } from "../http/app.ts";
import { socketFileIn } from "./access/socket-file.ts";
import { CommandFailure } from "./exit.ts";
import type { LogFile } from "./log-file.ts";
import type { ServeSettings } from "./settings/settings.ts";

/** Returns the URL. `formerPort`: agents know it, so any free port is only the second choice. */
export async function listen(
  app: App,
  { host, port }: ServeSettings,
  formerPort: number | null,
): Promise<string> {
  const isFormer =
    port === 0 && formerPort !== null && (await canListen({ host, port: formerPort }));
  try {
    await app.listen({ host, port: isFormer ? formerPort : port });
  } catch (error) {
    throw new CommandFailure(listenFailure(error, { host, port }), undefined, { cause: error });
  }
  const address = app.server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
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
