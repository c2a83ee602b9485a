import { expect } from "vitest";
import type { Row, Shape } from "./row.ts";

/** What a row promises about stdout, to be compared with `outlineOf`. */
export function promisedOutline({ json, prints, error }: Row): unknown {
  if (json !== undefined) return [sorted(json)];
  if (prints !== undefined) return expect.stringMatching(prints);
  return error === undefined ? expect.any(String) : "";
}

/** Stdout itself, or the different shapes of its JSON objects. */
export function outlineOf(stdout: string, { json: shape }: Row): unknown {
  if (shape === undefined) return stdout;
  const values: readonly unknown[] = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  // Only GAIA's commands print an array.
  const objects = "jsonVersion" in shape ? values : values.flat();
  return distinct(objects.map((object) => outline(object, shape)));
}

function outline(value: unknown, shape: Shape): unknown {
  if (!isObject(value)) return value;
  const [first] = Object.keys(value);
  const entries = Object.entries(value).map(([field, inner]) => {
    if (field === "jsonVersion") return [field, first === field && inner === 1];
    const expected = shape[field] ?? true;
    if (expected === true) return [field, true];
    return [field, "each" in expected ? { each: eachOf(inner) } : namesOf(inner)];
  });
  return sorted(Object.fromEntries(entries));
}

/** The names of the fields that all objects of a list have. */
function eachOf(list: unknown): unknown {
  const names = distinct((Array.isArray(list) ? list : [list]).map(namesOf));
  return names.length === 1 ? names[0] : names;
}

function namesOf(value: unknown): unknown {
  return isObject(value) ? Object.keys(value).toSorted() : value;
}

function sorted(shape: object): object {
  const entries = Object.keys(shape)
    .toSorted()
    .map((field) => [field, sortedNames(Reflect.get(shape, field))]);
  return Object.fromEntries(entries);
}

function sortedNames(inner: unknown): unknown {
  if (Array.isArray(inner)) return inner.map(String).toSorted();
  if (!isObject(inner) || !("each" in inner)) return inner;
  return { each: sortedNames(inner.each) };
}

function distinct(values: readonly unknown[]): readonly unknown[] {
  const texts = values.map((value) => JSON.stringify(value));
  return values.filter((_, index) => texts.indexOf(texts[index] ?? "") === index);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
