export type Redact = (text: string) => string;

/** Removes secrets from a text, also in JSON. Very short ones are ignored, because they match too much. */
export function createRedact(secrets: readonly string[]): Redact {
  const forms = [...new Set(secrets.flatMap(formsOf))]
    .filter((form) => form.length >= SHORTEST_SECRET)
    .toSorted((left, right) => right.length - left.length);
  return (text) => forms.reduce((clean, form) => clean.replaceAll(form, REDACTED), text);
}

const REDACTED = "[redacted]";
const SHORTEST_SECRET = 4;

function formsOf(secret: string): readonly string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  // JSON inside JSON, for example the input of a tool quoted in an error.
  return [secret, inJson, JSON.stringify(inJson).slice(1, -1)];
}
