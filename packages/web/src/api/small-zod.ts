/**
 * What the protocol's schemas use of zod, in a tenth of its size: the page's build has it in zod's
 * place. It says whether a value fits, and strips what a schema does not name, as zod does. What is
 * wrong with a value it does not say: a page can do nothing about the server it came from.
 */
export const z = {
  unknown: () => schema((value) => value),
  string: () => schema(isA("string")),
  boolean: () => schema(isA("boolean")),
  number: () => schema(readNumber),
  int: () => schema(readNumber).int(),
  coerce: { number: () => schema((value) => readNumber(Number(value))) },
  iso: {
    datetime: ({ offset = false } = {}) => schema(isA("string")).regex(offset ? ANY_TIME : TIME),
    date: () => schema(isA("string")).regex(DATE),
  },
  literal: (wanted: unknown) => schema((value) => (value === wanted ? value : WRONG)),
  enum: (values: readonly unknown[]) => schema((value) => (values.includes(value) ? value : WRONG)),
  union: (options: readonly Schema[]) => ({ ...schema((value) => first(options, value)), options }),
  array: (item: Schema) => schema((value) => readArray(value, item)),
  record: (key: Schema, item: Schema) => schema((value) => readRecord(value, { key, item })),
  object: (shape: Shape) => object(shape, "strip"),
  looseObject: (shape: Shape) => object(shape, "keep"),
  strictObject: (shape: Shape) => object(shape, "refuse"),
  preprocess: (prepare: Read, next: Schema) => schema((value) => next.read(prepare(value))),
};

const WRONG = Symbol("wrong");
const DATE = /^\d{4}-\d\d-\d\d$/u;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/u;
const ANY_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/u;

type Read = (value: unknown) => unknown;
type Shape = Readonly<Record<string, Schema>>;
type Rest = "strip" | "keep" | "refuse";
type Fits = (value: never) => boolean;

interface Schema {
  /** The value as it is passed on, or `WRONG`. */
  readonly read: Read;
  /** Whether an object may be without it. */
  readonly mayBeMissing: boolean;
  safeParse(value: unknown): { readonly success: boolean; readonly data?: unknown };
  parse(value: unknown): unknown;
  optional(): Schema;
  nullable(): Schema;
  nullish(): Schema;
  default(otherwise: unknown): Schema;
  describe(): Schema;
  meta(): Schema;
  refine(fits: Fits): Schema;
  transform(change: (value: never) => unknown): Schema;
  pipe(next: Schema): Schema;
  regex(pattern: RegExp): Schema;
  trim(): Schema;
  int(): Schema;
  positive(): Schema;
  nonnegative(): Schema;
  min(least: number): Schema;
  max(most: number): Schema;
}

function schema(read: Read, { mayBeMissing = false } = {}): Schema {
  const orMissing = (otherwise?: unknown): Schema =>
    schema((given) => (given === undefined ? otherwise : read(given)), { mayBeMissing: true });
  const orNull = (): Schema =>
    schema((given) => (given === null ? given : read(given)), { mayBeMissing });
  const refine = (fits: Fits): Schema =>
    schema((given) => {
      const value = read(given);
      return value !== WRONG && Reflect.apply(fits, undefined, [value]) === true ? value : WRONG;
    });
  const transform = (change: (value: never) => unknown): Schema =>
    schema((given) => {
      const value = read(given);
      return value === WRONG ? value : Reflect.apply(change, undefined, [value]);
    });
  const self: Schema = {
    read,
    mayBeMissing,
    safeParse: (value) => {
      const data = read(value);
      return data === WRONG ? { success: false } : { success: true, data };
    },
    parse: (value) => {
      const data = read(value);
      if (data === WRONG) throw new TypeError("The server said something that cannot be read.");
      return data;
    },
    optional: () => orMissing(),
    nullable: orNull,
    nullish: () => orNull().optional(),
    default: orMissing,
    describe: () => self,
    meta: () => self,
    refine,
    transform,
    pipe: (next) => transform(next.read),
    trim: () => transform((value: string) => value.trim()),
    regex: (pattern) => refine((value: string) => pattern.test(value)),
    int: () => refine(Number.isSafeInteger),
    positive: () => refine((value: number) => value > 0),
    nonnegative: () => refine((value: number) => value >= 0),
    min: (least) => refine((value: Sized) => sizeOf(value) >= least),
    max: (most) => refine((value: Sized) => sizeOf(value) <= most),
  };
  return self;
}

interface ObjectSchema extends Schema {
  extend(more: Shape): ObjectSchema;
  omit(names: Readonly<Record<string, true>>): ObjectSchema;
  partial(): ObjectSchema;
}

function object(shape: Shape, rest: Rest): ObjectSchema {
  const whole = schema((value) => readObject(value, { shape, rest }));
  const self: ObjectSchema = {
    ...whole,
    describe: () => self,
    meta: () => self,
    extend: (more) => object({ ...shape, ...more }, rest),
    omit: (names) =>
      object(
        pick(shape, (name) => !(name in names)),
        rest,
      ),
    partial: () =>
      object(
        Object.fromEntries(Object.entries(shape).map(([name, of]) => [name, of.optional()])),
        rest,
      ),
  };
  return self;
}

function readObject(value: unknown, { shape, rest }: { shape: Shape; rest: Rest }): unknown {
  if (!isPlain(value)) return WRONG;
  const others = pick(value, (name) => !Object.hasOwn(shape, name));
  if (rest === "refuse" && Object.keys(others).length > 0) return WRONG;
  const result: Record<string, unknown> = {};
  for (const [name, of] of Object.entries(shape)) {
    if (!of.mayBeMissing && !(name in value)) return WRONG;
    const read = of.read(value[name]);
    if (read === WRONG) return WRONG;
    if (read !== undefined || name in value) result[name] = read;
  }
  return rest === "keep" ? { ...result, ...others } : result;
}

function readRecord(value: unknown, { key, item }: { key: Schema; item: Schema }): unknown {
  if (!isPlain(value)) return WRONG;
  const entries = Object.entries(value).map(([name, of]) => [key.read(name), item.read(of)]);
  return entries.flat().includes(WRONG) ? WRONG : Object.fromEntries(entries);
}

function readArray(value: unknown, item: Schema): unknown {
  if (!Array.isArray(value)) return WRONG;
  const items = value.map((one) => item.read(one));
  return items.includes(WRONG) ? WRONG : items;
}

function first(options: readonly Schema[], value: unknown): unknown {
  for (const option of options) {
    const read = option.read(value);
    if (read !== WRONG) return read;
  }
  return WRONG;
}

function isA(type: "string" | "boolean"): Read {
  return (value) => (typeof value === type ? value : WRONG);
}

function readNumber(value: unknown): unknown {
  return Number.isFinite(value) ? value : WRONG;
}

type Sized = number | { readonly length: number };

function sizeOf(value: Sized): number {
  return typeof value === "number" ? value : value.length;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function pick<Value>(
  from: Readonly<Record<string, Value>>,
  isWanted: (name: string) => boolean,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(from).filter(([name]) => isWanted(name)));
}
