/** Keeps the last bytes of a stream in bounded memory. */
export interface Tail {
  push(bytes: Uint8Array): void;
  /** Begins with a whole character. `isCut`: more came before it. */
  read(): { readonly text: string; readonly isCut: boolean };
}

export function openTail(maxBytes: number): Tail {
  let chunks: Buffer[] = [];
  let length = 0;
  return {
    push: (bytes) => {
      // Copies the end: the chunk may be a view of a much larger buffer.
      const chunk = Buffer.from(bytes.subarray(-maxBytes));
      chunks.push(chunk);
      length += chunk.length;
      if (length < 2 * maxBytes && chunks.length < MAX_CHUNKS) return;
      const end = Buffer.concat(chunks).subarray(-maxBytes);
      chunks = [Buffer.from(end)];
      length = end.length;
    },
    read: () => {
      const all = Buffer.concat(chunks);
      const end = all.subarray(-maxBytes);
      const isCut = end.length < all.length || all.length === maxBytes;
      return { text: end.toString("utf8", isCut ? firstCharacter(end) : 0), isCut };
    },
  };
}

const MAX_CHUNKS = 1024;

function firstCharacter(bytes: Buffer): number {
  return Math.max(
    0,
    bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80),
  );
}
