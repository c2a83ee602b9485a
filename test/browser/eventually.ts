import { expect } from "vitest";
import { WAIT_MS } from "./browser.ts";

/** Reads the value repeatedly until the expectation holds. */
export function eventually<Value>(
  read: () => Value | Promise<Value>,
): ReturnType<typeof expect.poll> {
  return expect.poll(read, { interval: 100, timeout: WAIT_MS });
}
