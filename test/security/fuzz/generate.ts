import { NASTY_JSON } from "./nasty.ts";
import type { Random } from "./random.ts";

/** The part of JSON Schema that our API description uses. */
export interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

export interface Generator {
  /** JSON text of a valid value. */
  valid(schema: Schema): string;
  /** JSON text of a value with a few invalid parts. */
  nearly(schema: Schema): string;
  /** JSON text of any value. */
  wrong(): string;
}

export interface GeneratorOptions {
  readonly random: Random;
  readonly schemas: Readonly<Record<string, Schema>>;
  /** Meaningful words, used for free text. */
  readonly words: () => readonly [string, ...string[]];
}

export function createGenerator({ random, schemas, words }: GeneratorOptions): Generator {
  const resolve = (schema: Schema): Schema =>
    schema.$ref === undefined
      ? schema
      : resolve(schemas[schema.$ref.replace("#/components/schemas/", "")] ?? {});

  /** `spoil` may return a replacement for each value. */
  const write = (source: Schema, spoil: () => string | null, depth = 0): string => {
    const replacement = spoil();
    if (replacement !== null) return replacement;
    const schema = resolve(source);
    const [first, ...rest] = schema.anyOf ?? schema.oneOf ?? [];
    if (first !== undefined) return write(random.pick([first, ...rest]), spoil, depth + 1);
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum !== undefined)
      return JSON.stringify(schema.enum[random.below(schema.enum.length)]);
    switch (schema.type) {
      case "string":
        return JSON.stringify(wordFor(schema));
      case "integer":
      case "number":
        return String((schema.minimum ?? 0) + random.below(Math.min(schema.maximum ?? 50, 50)));
      case "boolean":
        return String(random.chance(0.5));
      case "null":
        return "null";
      case "array": {
        const length = Math.max(schema.minItems ?? 0, random.below(3));
        const items = Array.from({ length }, () => write(schema.items ?? {}, spoil, depth + 1));
        return `[${items.join(",")}]`;
      }
      case "object":
        return writeObject(schema, spoil, depth);
      default:
        return JSON.stringify(random.pick(words()));
    }
  };

  const writeObject = (schema: Schema, spoil: () => string | null, depth: number): string => {
    const { properties = {}, required = [] } = schema;
    const fields = Object.entries(properties)
      .filter(([name]) => required.includes(name) || random.chance(depth > 4 ? 0.1 : 0.5))
      .map(([name, value]) => `${JSON.stringify(name)}:${write(value, spoil, depth + 1)}`);
    return `{${fields.join(",")}}`;
  };

  const wordFor = ({ format, examples, pattern }: Schema): string => {
    const [example] = examples ?? [];
    if (format === "date-time") return "2026-01-31T12:00:00Z";
    if (format === "date") return "2026-01-31";
    if (typeof example === "string" && random.chance(0.2)) return example;
    const word = random.pick(words());
    return pattern !== undefined && !new RegExp(pattern, "u").test(word) ? "word" : word;
  };

  return {
    valid: (schema) => write(schema, () => null),
    nearly: (schema) => {
      const json = write(schema, () => (random.chance(0.15) ? random.pick(NASTY_JSON) : null));
      if (random.chance(0.3) && json.startsWith("{") && json.endsWith("}")) {
        const extra = `"${random.pick(["unknown", "__proto__", "constructor", "id", "text"])}":${random.pick(NASTY_JSON)}`;
        return json === "{}" ? `{${extra}}` : `${json.slice(0, -1)},${extra}}`;
      }
      return json;
    },
    wrong: () => random.pick(NASTY_JSON),
  };
}
