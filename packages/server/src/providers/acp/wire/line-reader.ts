/** A line longer than this is dropped. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;

export interface LineReader {
  push(bytes: Uint8Array): void;
  /** Nothing more will come: a last line without its newline counts. */
  end(): void;
}

export interface LineReaderOptions {
  /** A line without its end, not blank; bytes that are no UTF-8 have become U+FFFD. */
  readonly onLine: (line: string) => void;
  /** Once for each line over the limit, when the limit is reached, with how it began. */
  readonly onOversize: (head: string) => void;
  readonly maxBytes?: number;
}

/**
 * Lines from bytes that arrive in pieces of any size. Memory stays within the limit: the pieces of a line are gathered
 * in one buffer that doubles, and of a line beyond the limit nothing is kept.
 */
export function createLineReader({
  onLine,
  onOversize,
  maxBytes = MAX_LINE_BYTES,
}: LineReaderOptions): LineReader {
  let gathered = Buffer.alloc(0);
  let length = 0;
  let dropping = false;

  const deliver = (line: Buffer): void => {
    const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
    const text = line.toString("utf8", 0, end);
    if (text.trim() !== "") onLine(text);
  };

  const gather = (piece: Buffer): void => {
    if (dropping) return;
    if (length + piece.length > maxBytes) {
      dropping = true;
      const head = Buffer.concat([gathered.subarray(0, length), piece.subarray(0, HEAD_BYTES)]);
      forget();
      onOversize(head.toString("utf8", 0, Math.min(head.length, HEAD_BYTES)));
      return;
    }
    if (length + piece.length > gathered.length) {
      const larger = Buffer.allocUnsafe(
        Math.min(maxBytes, Math.max(1024, 2 * gathered.length, length + piece.length)),
      );
      gathered.copy(larger, 0, 0, length);
      gathered = larger;
    }
    piece.copy(gathered, length);
    length += piece.length;
  };

  const forget = (): void => {
    length = 0;
    if (gathered.length > KEPT_BYTES) gathered = Buffer.alloc(0);
  };

  const finish = (piece: Buffer): void => {
    if (length === 0 && !dropping && piece.length <= maxBytes) return deliver(piece);
    gather(piece);
    if (!dropping) deliver(gathered.subarray(0, length));
    dropping = false;
    forget();
  };

  return {
    push: (bytes) => {
      const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      let begin = 0;
      for (
        let end = chunk.indexOf(NEWLINE);
        end !== -1;
        begin = end + 1, end = chunk.indexOf(NEWLINE, begin)
      ) {
        finish(chunk.subarray(begin, end));
      }
      if (begin < chunk.length) gather(chunk.subarray(begin));
    },
    end: () => finish(Buffer.alloc(0)),
  };
}

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** Enough of an oversized line to see whose it was. */
const HEAD_BYTES = 4096;
/** A buffer that had to grow beyond this is given back after its line. */
const KEPT_BYTES = 64 * 1024;
