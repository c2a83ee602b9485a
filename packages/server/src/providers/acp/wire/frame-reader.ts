import type { Readable } from "node:stream";
import { createLineReader } from "./line-reader.ts";
import { openShare, SLICE_MS } from "./share.ts";
import { parseFrame, parseUnreadable, type Frame } from "./parse-frame.ts";

/** Reads frames from a stream, in order and as fast as they are handled. */
export interface FrameReader {
  /** Delivers no frame and reads nothing until the promise has settled. */
  hold(until: Promise<unknown>): void;
  /**
   * The writer has exited: delivers the rest, then ends. It also ends if nothing arrives for `quietMs`, because a
   * child of the writer may keep the stream open.
   */
  finish(quietMs: number): void;
}

export interface FrameReaderOptions {
  /** `offset`: the number of bytes of the stream up to the end of the frame. */
  readonly onFrame: (frame: Frame, line: string, offset: number) => void;
  readonly onEnd: (reason: string) => void;
  readonly maxLineBytes?: number | undefined;
  /** The number of bytes of the stream that somebody else has read before. */
  readonly offset?: number | undefined;
}

/**
 * Handles what has arrived at once, but at most for a slice of time: what is left waits for the next slice, and the
 * writer of the stream waits, too.
 */
export function readFrames(
  input: Readable,
  { onFrame, onEnd, maxLineBytes, offset: start = 0 }: FrameReaderOptions,
): FrameReader {
  let offset = start;
  /** Set by the line that is being taken. */
  let taken: { readonly frame: Frame; readonly line: string } | null = null;
  /** Bytes that have arrived and are not handled yet. */
  let rest: Buffer = Buffer.alloc(0);
  const share = openShare();
  let isWaitingForSlice = false;
  let holds = 0;
  /** Why the stream has ended. `isWhole`: without an error, so that its last line may lack only its newline. */
  let ending: { readonly reason: string; isWhole: boolean } | null = null;
  let isDone = false;
  let quiet: { readonly timer: NodeJS.Timeout } | null = null;

  const lines = createLineReader({
    onLine: (line) => {
      taken = { frame: parseFrame(line), line };
    },
    onOversize: (head) => {
      taken = { frame: parseUnreadable(head), line: `${head}… (over the limit, dropped)` };
    },
    maxBytes: maxLineBytes,
  });

  const deliver = (): void => {
    if (taken === null || isDone) return;
    const { frame, line } = taken;
    taken = null;
    onFrame(frame, line, offset);
  };

  const handle = (): void => {
    share.noteOutput();
    const startedAt = performance.now();
    let spentMs = 0;
    while (rest.length > 0 && holds === 0 && !isDone) {
      if (spentMs >= SLICE_MS) return handleInNextSlice(spentMs);
      const length = lines.take(rest);
      offset += length;
      rest = rest.subarray(length);
      deliver();
      spentMs = performance.now() - startedAt;
    }
    if (holds > 0 || isDone) return;
    if (spentMs > SLICE_MS) return handleInNextSlice(spentMs);
    if (ending !== null) return conclude();
    input.resume();
    quiet?.timer.refresh();
  };

  const handleInNextSlice = (spentMs: number): void => {
    isWaitingForSlice = true;
    input.pause();
    share.takeSlice(() => {
      isWaitingForSlice = false;
      if (holds === 0) handle();
    }, spentMs);
  };

  const end = (reason: string, isWhole: boolean): void => {
    ending ??= { reason, isWhole };
    if (holds === 0 && !isWaitingForSlice) handle();
  };

  const conclude = (): void => {
    if (isDone || ending === null) return;
    if (ending.isWhole) {
      ending.isWhole = false;
      lines.end();
      deliver();
      if (holds > 0) return;
    }
    isDone = true;
    clearTimeout(quiet?.timer);
    onEnd(ending.reason);
  };

  input.on("data", (bytes: Buffer) => {
    quiet?.timer.refresh();
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    if (holds === 0 && !isWaitingForSlice) handle();
  });
  input.once("end", () => end("its output ended", true));
  input.once("close", () => end("its output was closed", false));
  input.on("error", (error) => end(`its output cannot be read: ${error.message}`, false));

  const release = (): void => {
    holds -= 1;
    if (holds === 0 && !isWaitingForSlice) handle();
  };

  return {
    hold: (until) => {
      holds += 1;
      input.pause();
      void until.then(release, release);
    },
    finish: (quietMs) => {
      if (isDone || quiet !== null) return;
      const timer = setTimeout(() => {
        if (holds === 0 && !isWaitingForSlice) end("it has exited", false);
      }, quietMs);
      quiet = { timer };
    },
  };
}
