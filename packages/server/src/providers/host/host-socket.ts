import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** The address of a Unix socket has at most 107 bytes, and 103 on some systems. */
const MAX_BYTES = 103;

/** A path for the socket of this process. The folder of a deep data folder is too long: then it is in one for temporary files. */
export function socketFor(folder: string): string {
  const own = path.join(folder, `${process.pid}.sock`);
  if (Buffer.byteLength(own) <= MAX_BYTES) {
    rmSync(own, { force: true });
    return own;
  }
  // Nobody else can enter the folder that this makes.
  return path.join(mkdtempSync(path.join(tmpdir(), "holdfast-")), "host.sock");
}

export function removeSocket(folder: string, socket: string): void {
  const parent = path.dirname(socket);
  if (path.resolve(parent) === path.resolve(folder)) rmSync(socket, { force: true });
  else if (path.basename(parent).startsWith("holdfast-"))
    rmSync(parent, { recursive: true, force: true });
}
