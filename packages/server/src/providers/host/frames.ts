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

/** Splits chunks of any size into frames. A frame that is not whole yet stays for the next chunk. */
export function createFrameSplitter(onFrame: (frame: HostFrame) => void) {
  let waiting: Buffer[] = [];
  let length = 0;
  let needed = HEADER_BYTES;
  return {
    push(chunk: Buffer): void {
      waiting.push(chunk);
      length += chunk.length;
      if (length < needed) return;
      let rest = waiting.length === 1 ? chunk : Buffer.concat(waiting, length);
      for (;;) {
        needed = rest.length < HEADER_BYTES ? HEADER_BYTES : HEADER_BYTES + rest.readUInt32BE(1);
        if (rest.length < needed) break;
        onFrame({ kind: rest.readUInt8(0), bytes: rest.subarray(HEADER_BYTES, needed) });
        rest = rest.subarray(needed);
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
