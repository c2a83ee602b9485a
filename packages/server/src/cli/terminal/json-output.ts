import { jsonLine } from "./neutralise.ts";

/** The version of the JSON that commands print. It changes when a field is removed, renamed or gets another meaning. */
const JSON_VERSION = 1;

/** The result of a command as scripts see it, with the version first. */
export function versioned<Value extends object>(value: Value): { jsonVersion: number } & Value {
  return { jsonVersion: JSON_VERSION, ...value };
}

/** The same, on one line. */
export function versionedLine(value: object): string {
  return jsonLine(versioned(value));
}
