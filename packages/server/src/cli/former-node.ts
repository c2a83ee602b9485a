import { statSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { LOCK_FILE } from "./settings/data-folder.ts";
import { readJsonFile, replaceJsonFile } from "./settings/json-file.ts";

const nodeFileSchema = z.object({
  node: z.string(),
  /** Of the lock beside it: a folder that was copied has another, and its former node may well be alive. */
  inode: z.string(),
});

/**
 * Writes down that this node has the data folder from now on, and returns the one that had it before. Whoever holds the
 * folder's lock knows that the former is dead, and need not wait until its lease runs out.
 */
export function succeedNode(folder: string, node: string): string | null {
  const file = path.join(folder, "node.json");
  const inode = String(statSync(path.join(folder, LOCK_FILE), { bigint: true }).ino);
  const former = readJsonFile(file, nodeFileSchema);
  const said: z.infer<typeof nodeFileSchema> = { node, inode };
  replaceJsonFile(file, said);
  return former?.inode === inode ? former.node : null;
}
