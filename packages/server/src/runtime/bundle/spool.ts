import { randomUUID } from "node:crypto";
import { mkdir, open, rm, type FileHandle } from "node:fs/promises";
import path from "node:path";

/** Characters per write, and bytes per read. */
const CHUNK_LENGTH = 256 * 1024;

/** A temporary file of lines. It disappears when it is closed, even if the process is killed. */
export interface Spool {
  /** The line must not contain a newline. */
  add(line: string): Promise<void>;
  /** All lines; can be called repeatedly. */
  lines(): AsyncGenerator<string>;
  close(): Promise<void>;
}

export async function openSpool(folder: string): Promise<Spool> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const handle = await openNameless(folder);
  let buffered: string[] = [];
  let bufferedLength = 0;

  async function flush(): Promise<void> {
    if (buffered.length === 0) return;
    const text = `${buffered.join("\n")}\n`;
    buffered = [];
    bufferedLength = 0;
    await handle.appendFile(text);
  }

  return {
    async add(line) {
      buffered.push(line);
      bufferedLength += line.length;
      if (bufferedLength >= CHUNK_LENGTH) await flush();
    },
    async *lines() {
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

/** Splits at newlines only. Node's `readLines` would also split at U+2028, which JSON leaves unescaped. */
export async function* linesIn(handle: FileHandle): AsyncGenerator<string> {
  const buffer = Buffer.alloc(CHUNK_LENGTH);
  let open: Buffer[] = [];
  for (let position = 0; ;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) break;
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
  if (open.length > 0) yield Buffer.concat(open).toString("utf8");
}

const NEWLINE = 0x0a;
