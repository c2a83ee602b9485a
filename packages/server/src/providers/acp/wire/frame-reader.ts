import type { Readable } from "node:stream";
import { createLineReader } from "./line-reader.ts";
import { parseFrame, parseUnreadable, type Frame } from "./parse-frame.ts";

/** Frames from a stream, one after the other, as fast as they are taken. */
export interface FrameReader {
  /** Nothing more is handed over until the promise has settled; the stream is not read meanwhile. */
  hold(until: Promise<unknown>): void;
  /**
   * Whoever writes is gone. Hands over what is still on its way and then ends, at the latest when nothing came for so
   * long: a child of the writer can keep the stream open for ever.
   */
  finish(quietMs: number): void;
}

export interface FrameReaderOptions {
  readonly onFrame: (frame: Frame, line: string) => void;
  readonly onEnd: (reason: string) => void;
  readonly maxLineBytes?: number;
}

export function readFrames(
  input: Readable,
  { onFrame, onEnd, maxLineBytes }: FrameReaderOptions,
): FrameReader {
  let held: { readonly frame: Frame; readonly line: string }[] = [];
  let taken = 0;
  let holds = 0;
  let endedFor: string | null = null;
  let isDone = false;
  let quiet: { readonly timer: NodeJS.Timeout } | null = null;

  const take = (frame: Frame, line: string): void => {
    if (isDone) return;
    if (holds > 0) held.push({ frame, line });
    else onFrame(frame, line);
  };

  const end = (reason: string): void => {
    endedFor ??= reason;
    if (holds > 0 || isDone) return;
    isDone = true;
    if (quiet !== null) clearTimeout(quiet.timer);
    onEnd(endedFor);
  };

  const release = (): void => {
    holds -= 1;
    for (let next = held[taken]; next !== undefined && holds === 0; next = held[taken]) {
      taken += 1;
      onFrame(next.frame, next.line);
    }
    if (holds > 0) return;
    held = [];
    taken = 0;
    if (endedFor !== null) return end(endedFor);
    input.resume();
    quiet?.timer.refresh();
  };

  const lines = createLineReader({
    onLine: (line) => take(parseFrame(line), line),
    onOversize: (head) => take(parseUnreadable(head), `${head}… (over the limit, dropped)`),
    ...(maxLineBytes === undefined ? {} : { maxBytes: maxLineBytes }),
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
        if (holds === 0) end("it is gone");
      }, quietMs);
      quiet = { timer };
    },
  };
}
