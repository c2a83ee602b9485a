import { cleanText } from "../../domain/clean-text.ts";

/** A parameter given twice is a list, which no schema here takes: better refused than half read. */
export function parseQuery(text: string): Record<string, string | readonly string[]> {
  if (text === "") return {};
  const parameters = new URLSearchParams(text);
  return Object.fromEntries(
    [...new Set(parameters.keys())].map((name) => {
      const values = parameters.getAll(name).map(cleanText);
      return [name, values.length === 1 ? (values[0] ?? "") : values];
    }),
  );
}
