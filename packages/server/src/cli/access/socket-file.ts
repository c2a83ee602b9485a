import { statSync } from "node:fs";
import path from "node:path";

/** The Unix socket of the server on this data folder. */
export function socketFileIn(dataFolder: string): string {
  return path.join(dataFolder, "holdfast.sock");
}

/** Null when there is none: a long path, or a file system without sockets. */
export function findSocket(dataFolder: string): string | null {
  const file = socketFileIn(dataFolder);
  return statSync(file, { throwIfNoEntry: false })?.isSocket() === true ? file : null;
}
