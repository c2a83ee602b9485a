/** A kind in one byte, the length of the rest in four, and the rest. */
const HEADER_BYTES = 5;

export interface HostFrame {
  readonly kind: number;
  readonly bytes: Buffer;
}

export function frameHeader(kind: number, length: number): Buffer {
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUInt8(kind, 0);
  header.writeUInt32BE(length, 1);
  return header;
}

export interface FrameSplitterOptions {
  /** Frames of this kind are passed on in pieces, as they arrive. They are streams of bytes. */
  readonly inPieces?: number;
}

/** Splits chunks of any size into frames. A frame that is not whole yet stays for the next chunk. */
export function createFrameSplitter(
  onFrame: (frame: HostFrame) => void,
  { inPieces }: FrameSplitterOptions = {},
) {
  let waiting: Buffer[] = [];
  let length = 0;
  let needed = HEADER_BYTES;
  /** What is missing of a frame of which a piece was passed on. */
  let missing = 0;
  return {
    push(chunk: Buffer): void {
      let rest = chunk;
      if (missing > 0) {
        const piece = rest.subarray(0, missing);
        missing -= piece.length;
        rest = rest.subarray(piece.length);
        if (inPieces !== undefined) onFrame({ kind: inPieces, bytes: piece });
        if (rest.length === 0) return;
      }
      waiting.push(rest);
      length += rest.length;
      if (length < needed) return;
      if (waiting.length > 1) rest = Buffer.concat(waiting, length);
      for (;;) {
        const end = rest.length < HEADER_BYTES ? HEADER_BYTES : HEADER_BYTES + rest.readUInt32BE(1);
        const isStream = rest.length >= HEADER_BYTES && rest.readUInt8(0) === inPieces;
        needed = isStream ? Math.min(end, HEADER_BYTES + 1) : end;
        if (rest.length < needed) break;
        onFrame({ kind: rest.readUInt8(0), bytes: rest.subarray(HEADER_BYTES, end) });
        missing = Math.max(0, end - rest.length);
        rest = rest.subarray(end);
      }
      waiting = rest.length === 0 ? [] : [rest];
      length = rest.length;
    },
  };
}

/** All whole frames of a buffer. What follows them is left out: it was being written. */
export function framesIn(buffer: Buffer): readonly HostFrame[] {
  const frames: HostFrame[] = [];
  createFrameSplitter((frame) => frames.push(frame)).push(buffer);
  return frames;
}
