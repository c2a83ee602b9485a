import { looseList, looseObject } from "./loose.ts";

/** The result of a request with secrets for the other side, which are not shown in the traffic. */
export class SecretResult {
  readonly sent: object;
  /** In place of it in the traffic. */
  readonly shown: object;

  constructor(sent: object, shown: object) {
    this.sent = sent;
    this.shown = shown;
  }
}

const SECRET_FIELDS = "holdfast/secretFields";

/** Says in an answer which of its fields are secrets, for a server that reads later what the agent got. */
export function secretFields(names: readonly string[]): Readonly<Record<string, unknown>> {
  return { [SECRET_FIELDS]: names };
}

/** The secrets in an answer that says which of its fields are secrets. */
export function secretsIn(answer: unknown): readonly string[] {
  const { content, _meta } = looseObject(answer) ?? {};
  const fields = looseObject(content) ?? {};
  return looseList(looseObject(_meta)?.[SECRET_FIELDS])
    .flatMap((name) => (typeof name === "string" ? [fields[name]].flat() : []))
    .flatMap((value) =>
      typeof value === "string" || typeof value === "number" ? [String(value)] : [],
    );
}
