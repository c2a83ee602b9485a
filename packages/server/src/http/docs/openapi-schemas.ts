import { FEED_EVENTS, permissionRequestSchema } from "@holdfast/protocol";
import { z } from "zod";

const REF = /#\/components\/schemas\/(\w+)/gu;
/** Described though no reply names them: what events carry, and what a permission asks. */
const ALSO_NEEDED = [...Object.values(FEED_EVENTS), permissionRequestSchema].flatMap(namesIn);

/**
 * The generator makes every schema twice, as it is sent and as it is received. Kept are those that
 * are used, under the plain name wherever only one of the two is.
 */
export function withNeededSchemas<Document extends object>(document: Document): Document {
  const components = "components" in document ? Object(document.components) : {};
  const schemas: Record<string, unknown> = { ...components.schemas };
  const needed = new Set(ALSO_NEEDED);
  const gather = (value: unknown): void => {
    for (const [, name = ""] of JSON.stringify(value ?? null).matchAll(REF)) {
      if (needed.has(name)) continue;
      needed.add(name);
      gather(schemas[name]);
    }
  };
  gather("paths" in document ? document.paths : null);
  for (const name of ALSO_NEEDED) gather(schemas[name]);

  const plainName = (name: string): string => {
    const plain = name.replace(/Input$/u, "");
    const isSame = withoutInput(schemas[name]) === withoutInput(schemas[plain]);
    return name !== plain && (isSame || !needed.has(plain)) ? plain : name;
  };
  const kept = [...needed]
    .toSorted()
    .filter((name) => schemas[name] !== undefined)
    .map((name) => [plainName(name), schemas[name]]);
  const rename = (_key: string, value: unknown): unknown =>
    typeof value === "string"
      ? value.replaceAll(REF, (_match, name: string) => `#/components/schemas/${plainName(name)}`)
      : value;
  const slim = { ...document, components: { ...components, schemas: Object.fromEntries(kept) } };
  return JSON.parse(JSON.stringify(slim), rename);
}

function withoutInput(schema: unknown): string {
  return JSON.stringify(schema ?? null).replaceAll(/(#\/components\/schemas\/\w+)Input/gu, "$1");
}

function namesIn(schema: z.ZodType): readonly string[] {
  const options = schema instanceof z.ZodUnion ? schema.options : [schema];
  return options.flatMap((option) =>
    option instanceof z.ZodType ? (z.globalRegistry.get(option)?.id ?? []) : [],
  );
}
