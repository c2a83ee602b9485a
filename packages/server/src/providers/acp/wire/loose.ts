import { cleanText } from "../../../domain/clean-text.ts";

/** What an agent sent, read without trust: what has the wrong type counts as absent. */
export type Loose = Readonly<Record<string, unknown>>;

export function looseObject(value: unknown): Loose | null {
  return isLoose(value) ? value : null;
}

/** Clean text, or null; an empty one is text. */
export function looseText(value: unknown): string | null {
  return typeof value === "string" ? cleanText(value) : null;
}

/** A short text that says something, cut where it is longer than a label should be. */
export function looseLabel(value: unknown, maxLength = 400): string | null {
  if (typeof value !== "string") return null;
  const text = cleanText(value.slice(0, maxLength)).trim();
  return text === "" ? null : text;
}

export function looseNumber(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function looseList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isLoose(value: unknown): value is Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
