import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** V8 would use four times as much for new objects, and keep it, once a server has been busy for a while. */
const MAX_NEW_SPACE_BYTES = 16 * 1024 * 1024;
const LOOK_EVERY_MS = 500;

/**
 * Bounds the memory for new objects. V8 has a flag for its maximum, but reads it only when the process starts; the factor
 * by which this space grows is read each time. Does not keep the process alive.
 */
export function boundNewSpace(): void {
  let mayGrow = true;
  setInterval(() => {
    const newSpace = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    const isSmall = (newSpace?.space_size ?? 0) < MAX_NEW_SPACE_BYTES;
    if (isSmall === mayGrow) return;
    mayGrow = isSmall;
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
  }, LOOK_EVERY_MS).unref();
}
