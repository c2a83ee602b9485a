import { expect } from "vitest";

/** Reads the value repeatedly until the expectation holds. */
export function eventually<Value>(
  read: () => Value | Promise<Value>,
): ReturnType<typeof expect.poll> {
  return expect.poll(read, { interval: 50 });
}
