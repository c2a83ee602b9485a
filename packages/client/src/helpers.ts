/** An object rather than null, an array or a primitive. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type Defined<Fields> = {
  [Key in keyof Fields as undefined extends Fields[Key] ? never : Key]: Fields[Key];
} & {
  [Key in keyof Fields as undefined extends Fields[Key] ? Key : never]?: Exclude<
    Fields[Key],
    undefined
  >;
};

/** Returns the fields without those that are undefined: an optional property must be absent, not undefined. */
export function defined<Fields extends object>(fields: Fields): Defined<Fields>;
export function defined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The message of an error; anything can be thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
  /** Returns a number from 0 to 1. Jitter keeps clients that failed together from returning together. */
  readonly random: () => number;
}

/** The pause after a number of failures: it doubles with each one, up to `maxMs`, and is shortened by up to half. */
export function backoffMs(failures: number, { firstMs, maxMs, random }: Backoff): number {
  return Math.min(maxMs, firstMs * 2 ** failures) * (0.5 + random() / 2);
}
