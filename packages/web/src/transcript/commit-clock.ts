/** Says when changes are shown: on a frame, and not on every one. */
export interface CommitClock {
  /** There is something to show. */
  request(): void;
  /** Nothing is shown any more, until the next request. */
  cancel(): void;
}

export interface Frames {
  now(): number;
  requestFrame(callback: () => void): number;
  cancelFrame(id: number): void;
  setTimer(callback: () => void, ms: number): number;
  clearTimer(id: number): void;
}

const SHORTEST_MS = 33;
const LONGEST_MS = 100;
/** Half more than a frame takes at 60 a second. */
const LONG_FRAME_MS = 25;

/** When frames come late, because of us or of others, it asks for fewer of them. */
export function createCommitClock(commit: () => void, frames: Frames): CommitClock {
  let intervalMs = SHORTEST_MS;
  let lastAt = -Infinity;
  let frame: number | null = null;
  let timer: number | null = null;

  const request = (): void => {
    if (frame !== null || timer !== null) return;
    const waitMs = lastAt + intervalMs - frames.now();
    if (waitMs > 0) timer = frames.setTimer(requestFrame, waitMs);
    else requestFrame();
  };

  const requestFrame = (): void => {
    timer = null;
    const askedAt = frames.now();
    frame = frames.requestFrame(() => onFrame(frames.now() - askedAt));
  };

  const onFrame = (lateMs: number): void => {
    frame = null;
    intervalMs =
      lateMs > LONG_FRAME_MS
        ? Math.min(LONGEST_MS, intervalMs * 1.5)
        : Math.max(SHORTEST_MS, intervalMs * 0.9);
    lastAt = frames.now();
    commit();
  };

  return {
    request,
    cancel() {
      if (frame !== null) frames.cancelFrame(frame);
      if (timer !== null) frames.clearTimer(timer);
      frame = null;
      timer = null;
    },
  };
}

/** Frames of this page. */
export const pageFrames: Frames = {
  now: () => performance.now(),
  requestFrame: (callback) => requestAnimationFrame(() => callback()),
  cancelFrame: (id) => cancelAnimationFrame(id),
  setTimer: (callback, ms) => window.setTimeout(callback, ms),
  clearTimer: (id) => window.clearTimeout(id),
};
