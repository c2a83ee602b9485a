import { readFileSync } from "node:fs";
import path from "node:path";
import { looseObject } from "../acp/wire/loose.ts";

export const HOST_FILE = "host.json";

/** How a server finds the host of its data folder. A host that was killed leaves the file behind. */
export interface HostFile {
  readonly pid: number;
  readonly socket: string;
  readonly protocol: number;
}

export function readHostFile(folder: string): HostFile | null {
  try {
    const value = looseObject(JSON.parse(readFileSync(path.join(folder, HOST_FILE), "utf8")));
    const { pid, socket, protocol } = value ?? {};
    if (typeof pid !== "number" || typeof socket !== "string" || typeof protocol !== "number")
      return null;
    return { pid, socket, protocol };
  } catch {
    return null;
  }
}
