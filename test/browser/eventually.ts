import { expect } from "vitest";

/** Expects it of what is read again and again: browsers take their time, and machines that test more. */
export function eventually<Value>(
  read: () => Value | Promise<Value>,
): ReturnType<typeof expect.poll> {
  return expect.poll(read, { interval: 50 });
}
