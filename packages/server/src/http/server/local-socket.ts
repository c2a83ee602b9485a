import { rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import type { App } from "../app.ts";

/** The connections of Unix sockets. Only the user of the server can open them. */
const connections = new WeakSet<Socket>();

/** Read and write for the owner, nothing for others. */
const OWNER_ONLY_UMASK = 0o177;

/** In bytes, without the final NUL. Node would silently use a shorter path, which may be in another folder. */
const MAX_PATH_BYTES = process.platform === "linux" ? 107 : 103;

export interface LocalSocket {
  close(): void;
}

/**
 * Serves all routes also on a Unix socket. The caller owns its folder: a file that a killed server left is replaced.
 * Throws if the path is too long, or the file system has no sockets.
 */
export async function listenOnSocket(app: App, file: string): Promise<LocalSocket> {
  if (Buffer.byteLength(file) > MAX_PATH_BYTES)
    throw new Error(`The path of a socket may have ${MAX_PATH_BYTES} bytes: ${file}`);
  rmSync(file, { force: true });
  const server = createServer({ allowHalfOpen: true }, (connection) => {
    connections.add(connection);
    // The HTTP server handles the connection as its own, with all its limits.
    app.server.emit("connection", connection);
  });
  await listen(server, file);
  return {
    close: () => {
      server.close();
      rmSync(file, { force: true });
    },
  };
}

export function isFromSocket({ socket }: { readonly socket: Socket }): boolean {
  return connections.has(socket);
}

async function listen(server: Server, file: string): Promise<void> {
  const listening = new Promise<void>((resolve, reject) => {
    server.once("listening", resolve);
    server.once("error", reject);
  });
  // The file is created during this call, so nobody else can ever open it.
  const before = process.umask(OWNER_ONLY_UMASK);
  try {
    server.listen(file);
  } finally {
    process.umask(before);
  }
  await listening;
}
