import type { FileHandle } from "node:fs/promises";

/** Characters per write, and bytes per read. */
const CHUNK_LENGTH = 256 * 1024;
const NEWLINE = 0x0a;

/** Appends lines in large writes. A line must not contain a newline. */
export function lineWriter(handle: FileHandle) {
  let buffer = "";
  const flush = async (): Promise<void> => {
    const text = buffer;
    buffer = "";
    if (text !== "") await handle.appendFile(text);
  };
  return {
    flush,
    add: async (line: string): Promise<void> => {
      buffer += `${line}\n`;
      if (buffer.length >= CHUNK_LENGTH) await flush();
    },
  };
}

/** All lines from the beginning. Node's `readLines` would also split at U+2028, which JSON leaves unescaped. */
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
