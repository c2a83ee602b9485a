import { expect } from "vitest";

/** Compares whole values: fast if they are equal, with a helpful message if they are not. */
export function expectSame(actual: unknown, expected: unknown): void {
  if (!isSame(actual, expected)) expect(actual).toStrictEqual(expected);
}

function isSame(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (!isObject(left) || !isObject(right) || Array.isArray(left) !== Array.isArray(right))
    return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isSame(left[key], right[key]))
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
