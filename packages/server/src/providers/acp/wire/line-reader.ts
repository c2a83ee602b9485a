/** Longer lines are dropped. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;

export interface LineReader {
  /** Reads to the end of the first line, or all if it has no newline. Returns the number of bytes read. */
  take(bytes: Uint8Array): number;
  /** Reads all. */
  push(bytes: Uint8Array): void;
  /** Delivers the last line if it has no newline. */
  end(): void;
}

export interface LineReaderOptions {
  /** Called for each line that is not blank, without its newline. Invalid UTF-8 becomes U+FFFD. */
  readonly onLine: (line: string) => void;
  /** Called once for a line over the limit, when it reaches the limit, with its start. */
  readonly onOversize: (head: string) => void;
  readonly maxBytes?: number | undefined;
}

/**
 * Splits chunks of any size into lines. A line is collected in one buffer that grows up to the limit; a longer line
 * is not kept, so memory stays bounded.
 */
export function createLineReader({
  onLine,
  onOversize,
  maxBytes = MAX_LINE_BYTES,
}: LineReaderOptions): LineReader {
  let buffer = Buffer.alloc(0);
  let length = 0;
  let isDropping = false;

  const deliver = (line: Buffer): void => {
    const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
    const text = line.toString("utf8", 0, end);
    if (text.trim() !== "") onLine(text);
  };

  const collect = (chunk: Buffer): void => {
    if (isDropping) return;
    if (length + chunk.length > maxBytes) {
      isDropping = true;
      const head = Buffer.concat([buffer.subarray(0, length), chunk.subarray(0, HEAD_BYTES)]);
      reset();
      onOversize(head.toString("utf8", 0, Math.min(head.length, HEAD_BYTES)));
      return;
    }
    if (length + chunk.length > buffer.length) {
      const needed = length + chunk.length;
      // The system provides memory only for what is written, so a long line gets the full size at once.
      const size = needed > RETAINED_BYTES ? maxBytes : Math.max(1024, 2 * buffer.length, needed);
      const larger = Buffer.allocUnsafe(Math.min(maxBytes, size));
      buffer.copy(larger, 0, 0, length);
      buffer = larger;
    }
    chunk.copy(buffer, length);
    length += chunk.length;
  };

  const reset = (): void => {
    length = 0;
    if (buffer.length > RETAINED_BYTES) buffer = Buffer.alloc(0);
  };

  const finish = (chunk: Buffer): void => {
    if (length === 0 && !isDropping && chunk.length <= maxBytes) return deliver(chunk);
    collect(chunk);
    if (!isDropping) deliver(buffer.subarray(0, length));
    isDropping = false;
    reset();
  };

  const take = (bytes: Uint8Array): number => {
    const input = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const end = input.indexOf(NEWLINE);
    if (end === -1) collect(input);
    else finish(input.subarray(0, end));
    return end === -1 ? input.length : end + 1;
  };

  return {
    take,
    push: (bytes) => {
      for (let read = 0; read < bytes.length;) read += take(bytes.subarray(read));
    },
    end: () => finish(Buffer.alloc(0)),
  };
}

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** Enough of an oversized line to read its ID and method. */
const HEAD_BYTES = 4096;
/** A larger buffer is released after its line. */
const RETAINED_BYTES = 64 * 1024;
