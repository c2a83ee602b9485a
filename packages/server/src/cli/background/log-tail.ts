import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
} from "node:fs";
import { StringDecoder } from "node:string_decoder";

const CHUNK_BYTES = 64 * 1024;

/** The last lines of a file and of the older ones before it, oldest line first. */
export function lastLines(
  newest: FollowedFile,
  olderFiles: readonly string[],
  count: number,
): readonly string[] {
  let lines = newest.linesBefore();
  for (const file of olderFiles) {
    if (lines.length >= count) break;
    if (existsSync(file)) lines = [...completeLines(readFileSync(file, "utf8")), ...lines];
  }
  return count === 0 ? [] : lines.slice(-count);
}

/** The text after the last newline is a line that is not complete yet, or empty. */
function completeLines(text: string): readonly string[] {
  return text.split("\n").slice(0, -1);
}

export interface FollowedFile {
  /** The lines that were there before. */
  linesBefore(): readonly string[];
  /** The lines that were completed since the last call. */
  read(): readonly string[];
  close(): void;
}

/** Reads what is added to a file from now on. When the file is renamed and a new one takes its name, continues there. */
export function followFile(file: string): FollowedFile {
  let open: OpenFile | null = openFile(file, { atEnd: true });
  const before = open;
  return {
    linesBefore: () => before?.linesBefore() ?? [],
    read: () => {
      const lines: string[] = [];
      for (;;) {
        if (open === null && (open = openFile(file, { atEnd: false })) === null) return lines;
        // Looked at before reading: all of an old file is read before the new one.
        const isCurrent = open.isAt(file);
        lines.push(...open.read());
        if (isCurrent || !existsSync(file)) return lines;
        open.close();
        open = null;
      }
    },
    close: () => open?.close(),
  };
}

interface OpenFile {
  linesBefore(): readonly string[];
  isAt(file: string): boolean;
  read(): readonly string[];
  close(): void;
}

function openFile(file: string, { atEnd }: { readonly atEnd: boolean }): OpenFile | null {
  if (!existsSync(file)) return null;
  const descriptor = openSync(file, "r");
  const { ino, size } = fstatSync(descriptor);
  const begin = atEnd ? endOfLastLine(descriptor, size) : 0;
  let position = begin;
  const decoder = new StringDecoder("utf8");
  let rest = "";
  return {
    isAt: (path) => statSync(path, { throwIfNoEntry: false })?.ino === ino,
    close: () => closeSync(descriptor),
    linesBefore: () => {
      const text = Buffer.alloc(begin);
      readSync(descriptor, text, 0, begin, 0);
      return completeLines(text.toString("utf8"));
    },
    read: () => {
      const chunk = Buffer.alloc(CHUNK_BYTES);
      const lines: string[] = [];
      for (;;) {
        const length = readSync(descriptor, chunk, 0, CHUNK_BYTES, position);
        if (length === 0) return lines;
        position += length;
        const parts = (rest + decoder.write(chunk.subarray(0, length))).split("\n");
        rest = parts.pop() ?? "";
        lines.push(...parts);
      }
    },
  };
}

/** A line that is not complete yet is read again when it is. */
function endOfLastLine(descriptor: number, size: number): number {
  const length = Math.min(size, CHUNK_BYTES);
  const chunk = Buffer.alloc(length);
  readSync(descriptor, chunk, 0, length, size - length);
  return size - length + chunk.lastIndexOf("\n") + 1;
}
