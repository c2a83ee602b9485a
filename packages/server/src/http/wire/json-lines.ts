/** A line of a bundle contains at most one message, which is far smaller. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const CHUNK_LENGTH = 64 * 1024;

/** The body or one of its lines is too large. */
export class TooLarge extends Error {
  readonly code = "payload_too_large";
}

/** Splits bytes into lines as they arrive, without newlines and empty lines. */
export async function* toLines(
  bytes: AsyncIterable<Buffer>,
  { maxBytes, maxLineBytes = MAX_LINE_BYTES }: { maxBytes: number; maxLineBytes?: number },
): AsyncGenerator<string> {
  let total = 0;
  let open: Buffer[] = [];
  let openBytes = 0;
  for await (const chunk of bytes) {
    total += chunk.length;
    if (total > maxBytes) throw new TooLarge(`The body is larger than ${maxBytes} bytes.`);
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      open.push(chunk.subarray(start, end));
      start = end + 1;
      const line = toText(open);
      open = [];
      openBytes = 0;
      if (line !== "") yield line;
    }
    if (start === chunk.length) continue;
    open.push(chunk.subarray(start));
    openBytes += chunk.length - start;
    if (openBytes > maxLineBytes) {
      throw new TooLarge(`A line of the body is longer than ${maxLineBytes} bytes.`);
    }
  }
  const rest = toText(open);
  if (rest !== "") yield rest;
}

const NEWLINE = 0x0a;

function toText(parts: readonly Buffer[]): string {
  const text = Buffer.concat(parts).toString("utf8");
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}

/** Joins lines into chunks that are worth sending. */
export async function* fromLines(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let pending = "";
  for await (const line of lines) {
    pending += `${line}\n`;
    if (pending.length < CHUNK_LENGTH) continue;
    yield pending;
    pending = "";
  }
  if (pending !== "") yield pending;
}
