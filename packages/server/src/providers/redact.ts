export type Redact = (text: string) => string;

/** Takes secrets out of a text, as they are and as they look inside JSON. Very short ones would take everything out. */
export function createRedact(secrets: readonly string[]): Redact {
  const hidden = [...new Set(secrets.flatMap(formsOf))]
    .filter((form) => form.length >= SHORTEST_SECRET)
    .toSorted((left, right) => right.length - left.length);
  return (text) => hidden.reduce((clean, form) => clean.replaceAll(form, REDACTED), text);
}

const REDACTED = "[redacted]";
const SHORTEST_SECRET = 4;

function formsOf(secret: string): readonly string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  // JSON inside JSON, as when a tool's input is quoted in an error.
  return [secret, inJson, JSON.stringify(inJson).slice(1, -1)];
}
