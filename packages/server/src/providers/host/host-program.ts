/**
 * The agent host: a small process that owns the pipes of agents, so that they outlive the server. Its arguments are its folder
 * and the version of Holdfast. It writes `ready` and closes its output when servers can connect.
 */
import { closeSync, mkdirSync, renameSync, rmSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";
import { keepFilesPrivate } from "../acp/process/umask.ts";
import { HOST_PROTOCOL } from "./host-protocol.ts";
import { HOST_FILE, type HostFile } from "./host-file.ts";
import { createHost } from "./host.ts";

const STDOUT = 1;
const MIB = 1024 * 1024;

keepFilesPrivate();
const [folder = "", version = ""] = process.argv.slice(2);
mkdirSync(folder, { recursive: true, mode: 0o700 });
const socket = path.join(folder, `${process.pid}.sock`);
const file = path.join(folder, HOST_FILE);
rmSync(socket, { force: true });

const host = createHost({
  folder,
  version,
  limits: { logBytes: 256 * MIB, unreadBytes: 64 * MIB },
  onDone: () => {
    host.server.close();
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
