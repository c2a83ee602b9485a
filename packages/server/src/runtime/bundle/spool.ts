import { randomUUID } from "node:crypto";
import { mkdir, open, rm, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { lineWriter, linesIn } from "./line-file.ts";

export type Spool = Awaited<ReturnType<typeof openSpool>>;

/** A temporary file of lines. It disappears when it is closed, even if the process is killed. */
export async function openSpool(folder: string) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const handle = await openNameless(folder);
  const { add, flush } = lineWriter(handle);
  return {
    add,
    /** All lines; can be called repeatedly. */
    async *lines(): AsyncGenerator<string> {
      await flush();
      yield* linesIn(handle);
    },
    close: () => handle.close(),
  };
}

/** A deleted file, which exists until its handle is closed. */
async function openNameless(folder: string): Promise<FileHandle> {
  const file = path.join(folder, `import-${randomUUID()}.tmp`);
  const handle = await open(file, "wx+", 0o600);
  try {
    await rm(file);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}
