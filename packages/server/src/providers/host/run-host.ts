import { closeSync, existsSync, mkdirSync, renameSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";
import { keepFilesPrivate } from "../acp/process/umask.ts";
import { HOST_PROTOCOL } from "./host-protocol.ts";
import { HOST_FILE, type HostFile } from "./host-file.ts";
import { removeSocket, socketFor } from "./host-socket.ts";
import type { HostLimits } from "./hosted-agent.ts";
import { createHost } from "./host.ts";

const STDOUT = 1;

/** Makes this process an agent host. */
export function runHost(limits: HostLimits): void {
  keepFilesPrivate();
  const [folder = "", version = ""] = process.argv.slice(2);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const socket = socketFor(folder);
  const file = path.join(folder, HOST_FILE);
  const host = createHost({
    folder,
    version,
    limits,
    isReachable: () => existsSync(file) && existsSync(socket),
    onDone: () => {
      host.server.close();
      removeSocket(folder, socket);
      process.exit(0);
    },
  });
  // A terminal or a service manager that stops the server does not mean the agents.
  for (const name of ["SIGHUP", "SIGINT", "SIGPIPE"] as const) process.on(name, () => {});
  process.on("SIGTERM", () => void host.end());

  host.server.listen(socket, () => {
    const about: HostFile = { pid: process.pid, socket, protocol: HOST_PROTOCOL };
    writeFileSync(`${file}.${process.pid}`, JSON.stringify(about), { mode: 0o600 });
    renameSync(`${file}.${process.pid}`, file);
    writeSync(STDOUT, "ready");
    closeSync(STDOUT);
  });
}
