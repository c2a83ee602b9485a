import type { Readable } from "node:stream";
import { createLineReader } from "./line-reader.ts";
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
  readonly onFrame: (frame: Frame, line: string) => void;
  readonly onEnd: (reason: string) => void;
  readonly maxLineBytes?: number | undefined;
}

export function readFrames(
  input: Readable,
  { onFrame, onEnd, maxLineBytes }: FrameReaderOptions,
): FrameReader {
  let held: { readonly frame: Frame; readonly line: string }[] = [];
  let delivered = 0;
  let holds = 0;
  let endReason: string | null = null;
  let isDone = false;
  let quiet: { readonly timer: NodeJS.Timeout } | null = null;

  const deliver = (frame: Frame, line: string): void => {
    if (isDone) return;
    if (holds > 0) held.push({ frame, line });
    else onFrame(frame, line);
  };

  const end = (reason: string): void => {
    endReason ??= reason;
    if (holds > 0 || isDone) return;
    isDone = true;
    clearTimeout(quiet?.timer);
    onEnd(endReason);
  };

  const release = (): void => {
    holds -= 1;
    for (let next = held[delivered]; next !== undefined && holds === 0; next = held[delivered]) {
      delivered += 1;
      onFrame(next.frame, next.line);
    }
    if (holds > 0) return;
    held = [];
    delivered = 0;
    if (endReason !== null) return end(endReason);
    input.resume();
    quiet?.timer.refresh();
  };

  const lines = createLineReader({
    onLine: (line) => deliver(parseFrame(line), line),
    onOversize: (head) => deliver(parseUnreadable(head), `${head}… (over the limit, dropped)`),
    maxBytes: maxLineBytes,
  });
  input.on("data", (bytes: Buffer) => {
    quiet?.timer.refresh();
    lines.push(bytes);
  });
  input.once("end", () => {
    lines.end();
    end("its output ended");
  });
  input.once("close", () => end("its output was closed"));
  input.on("error", (error) => end(`its output cannot be read: ${error.message}`));

  return {
    hold: (until) => {
      holds += 1;
      input.pause();
      void until.then(release, release);
    },
    finish: (quietMs) => {
      if (isDone || quiet !== null) return;
      const timer = setTimeout(() => {
        if (holds === 0) end("it has exited");
      }, quietMs);
      quiet = { timer };
    },
  };
}
