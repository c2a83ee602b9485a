/** The last bytes of what was written, in memory that does not grow. */
export interface Tail {
  push(bytes: Uint8Array): void;
  /** From the first whole character on. */
  text(): string;
}

export function openTail(maxBytes: number): Tail {
  let pieces: Buffer[] = [];
  let length = 0;
  return {
    push: (bytes) => {
      // A copy of the end only: a piece may be a view on a much larger buffer.
      const piece = Buffer.from(bytes.subarray(-maxBytes));
      pieces.push(piece);
      length += piece.length;
      if (length < 2 * maxBytes && pieces.length < MAX_PIECES) return;
      const kept = Buffer.concat(pieces).subarray(-maxBytes);
      pieces = [Buffer.from(kept)];
      length = kept.length;
    },
    text: () => {
      const all = Buffer.concat(pieces);
      const kept = all.subarray(-maxBytes);
      const isCut = kept.length < all.length || all.length === maxBytes;
      return kept.toString("utf8", isCut ? firstCharacter(kept) : 0);
    },
  };
}

const MAX_PIECES = 1024;

function firstCharacter(bytes: Buffer): number {
  const at = bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return Math.max(at, 0);
}
