export interface Frames {
  now(): number;
  requestFrame(callback: () => void): number;
  cancelFrame(id: number): void;
  setTimer(callback: () => void, ms: number): number;
  clearTimer(id: number): void;
}

const SHORTEST_MS = 33;
const LONGEST_MS = 100;
/** 1.5 times a frame at 60 Hz. */
const LONG_FRAME_MS = 25;

/** Commits on animation frames. The interval grows while frames are late and shrinks again afterwards. */
export function createCommitClock(commit: () => void, frames: Frames) {
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
    const requestedAt = frames.now();
    frame = frames.requestFrame(() => onFrame(frames.now() - requestedAt));
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
    /** Cancels the pending commit. */
    cancel(): void {
      if (frame !== null) frames.cancelFrame(frame);
      if (timer !== null) frames.clearTimer(timer);
      frame = null;
      timer = null;
    },
  };
}

/** The frames of this page. */
export const pageFrames: Frames = {
  now: () => performance.now(),
  requestFrame: (callback) => requestAnimationFrame(() => callback()),
  cancelFrame: (id) => cancelAnimationFrame(id),
  setTimer: (callback, ms) => window.setTimeout(callback, ms),
  clearTimer: (id) => window.clearTimeout(id),
};
