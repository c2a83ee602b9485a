import { randomUUID } from "node:crypto";
import { mkdir, open, rm, type FileHandle } from "node:fs/promises";
import path from "node:path";

/** Lines are collected up to this before they are written, and read in pieces of this. */
const CHUNK_LENGTH = 256 * 1024;

/** Lines on the disk for as long as it is open. Nothing stays of it, however the process ends. */
export interface Spool {
  /** Without a newline, and with none in it. */
  add(line: string): Promise<void>;
  /** All of them, from the first on; as often as needed. */
  lines(): AsyncGenerator<string>;
  close(): Promise<void>;
}

export async function openSpool(folder: string): Promise<Spool> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const handle = await openNameless(folder);
  let waiting: string[] = [];
  let waitingLength = 0;

  async function flush(): Promise<void> {
    if (waiting.length === 0) return;
    const text = `${waiting.join("\n")}\n`;
    waiting = [];
    waitingLength = 0;
    await handle.appendFile(text);
  }

  return {
    async add(line) {
      waiting.push(line);
      waitingLength += line.length;
      if (waitingLength >= CHUNK_LENGTH) await flush();
    },
    async *lines() {
      await flush();
      yield* linesIn(handle);
    },
    close: () => handle.close(),
  };
}

/** A file that has no name any more: it goes with its handle. */
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

async function* linesIn(handle: FileHandle): AsyncGenerator<string> {
  const buffer = Buffer.alloc(CHUNK_LENGTH);
  let open: Buffer[] = [];
  for (let position = 0; ;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    const chunk = buffer.subarray(0, bytesRead);
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      open.push(chunk.subarray(start, end));
      start = end + 1;
      const line = Buffer.concat(open).toString("utf8");
      open = [];
      yield line;
    }
    if (start < chunk.length) open.push(Buffer.from(chunk.subarray(start)));
  }
}

const NEWLINE = 0x0a;
