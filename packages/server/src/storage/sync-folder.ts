import { open } from "node:fs/promises";

/** Until then a new file, or a new name of one, is gone when the power is. Windows knows no such thing. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
