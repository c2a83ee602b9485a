/** Limits of one request. */
export const LIMITS = {
  messageBytes: 1024 * 1024,
  messageParts: 100,
  metadataBytes: 64 * 1024,
  answerBytes: 1024 * 1024,
  answerTextLength: 64 * 1024,
  jsonDepth: 64,
  titleLength: 500,
  nameLength: 200,
  purposeLength: 10_000,
  reasonLength: 10_000,
  summaryLength: 100_000,
  pathLength: 4096,
  mcpServers: 16,
  mcpEntries: 64,
  mcpBytes: 32 * 1024,
  directories: 16,
  searchLength: 500,
  excerptLength: 240,
  cursorLength: 500,
  pageSize: 100,
  messagePageSize: 1000,
  filePageSize: 100,
  historyEntries: 100,
} as const;

/** The length in UTF-8. This package runs without Node and DOM types, so it has no encoder. */
export function byteLength(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x80) bytes += 1;
    else if (code < 0x800) bytes += 2;
    else if (isPair(code, text.charCodeAt(index + 1))) {
      bytes += 4;
      index += 1;
    } else bytes += 3;
  }
  return bytes;
}

/** Stops at the limit, so that deep nesting cannot exhaust the stack. */
function isShallow(value: unknown, depth: number = LIMITS.jsonDepth): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depth === 0) return false;
  return Object.values(value).every((child) => isShallow(child, depth - 1));
}

export function isJsonWithin(value: unknown, maxBytes: number): boolean {
  return isShallow(value) && byteLength(JSON.stringify(value) ?? "") <= maxBytes;
}

function isPair(first: number, second: number): boolean {
  return first >= 0xd800 && first < 0xdc00 && second >= 0xdc00 && second < 0xe000;
}
