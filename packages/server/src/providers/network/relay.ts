/**
 * Runs in the network of an agent, which leads nowhere. Listens there and passes every connection on to a socket of
 * the server, which decides where it may go. Its argument is the folder of these sockets; their names are the ports.
 * Closes its output when it listens. It ends with the sandbox, after the agent.
 */
import { closeSync, readdirSync, writeSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream";

const STDOUT = 1;

function pass(socket: Socket, path: string): void {
  const outside = connect({ path, allowHalfOpen: true });
  pipeline(socket, outside, socket, () => {
    socket.destroy();
    outside.destroy();
  });
}

/** Some systems have no IPv6. */
function listen(port: number, host: string, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      pass(socket, path);
    });
    server.once("error", () => resolve(false));
    server.listen({ port, host }, () => resolve(true));
  });
}

for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(name, () => {});
process.on("uncaughtException", () => {});

async function openPorts(folder: string): Promise<void> {
  for (const port of readdirSync(folder).filter((name) => /^\d+$/u.test(name))) {
    const hosts = ["127.0.0.1", "::1"];
    const [isOpen] = await Promise.all(
      hosts.map((host) => listen(Number(port), host, join(folder, port))),
    );
    if (isOpen !== true) process.exit(1);
  }
  writeSync(STDOUT, "ready");
  closeSync(STDOUT);
}

const [folder = ""] = process.argv.slice(2);
openPorts(folder).catch(() => process.exit(1));
