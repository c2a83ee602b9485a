import { idSchema } from "@holdfast/protocol";
import { z } from "zod";

/** A place in a request about a session that contains the ID of something else. */
export interface IdPlace {
  /** In the router's notation: `DELETE /api/sessions/:id/queue/:messageId`. */
  readonly route: string;
  /** The field of the body; null if the ID is in the path. */
  readonly field: string | null;
}

/** All such places in the API description: further IDs in a path, and ID fields of a body. */
export function idPlaces(description: unknown): readonly IdPlace[] {
  const { paths, components } = descriptionSchema.parse(description);
  return Object.entries(paths).flatMap(([url, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) => {
      const route = `${method.toUpperCase()} ${url.replaceAll(/\{(\w+)\}/gu, ":$1")}`;
      const [first, ...further] = url.match(/\{\w+\}/gu) ?? [];
      if (first === undefined) return [];
      const fields = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
        idFieldsOf(schema, components.schemas),
      );
      return [...further.map(() => null), ...fields].map((field) => ({ route, field }));
    }),
  );
}

const { pattern: ID_PATTERN } = z.toJSONSchema(idSchema);

interface Schema {
  readonly $ref?: string | undefined;
  readonly pattern?: string | undefined;
  readonly anyOf?: readonly Schema[] | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
}

function idFieldsOf(schema: Schema, all: Readonly<Record<string, Schema>>): readonly string[] {
  const resolve = ({ $ref, ...rest }: Schema): Schema =>
    $ref === undefined ? rest : (all[$ref.replace("#/components/schemas/", "")] ?? {});
  const isId = (field: Schema): boolean => {
    const { pattern, anyOf = [] } = resolve(field);
    return pattern === ID_PATTERN || anyOf.some(isId);
  };
  const { properties = {}, anyOf = [] } = resolve(schema);
  const own = Object.entries(properties).flatMap(([name, value]) => (isId(value) ? [name] : []));
  return [...own, ...anyOf.flatMap((one) => idFieldsOf(one, all))];
}

const schemaSchema: z.ZodType<Schema> = z.lazy(() =>
  z.object({
    $ref: z.string().optional(),
    pattern: z.string().optional(),
    anyOf: z.array(schemaSchema).optional(),
    properties: z.record(z.string(), schemaSchema).optional(),
  }),
);

const descriptionSchema = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        requestBody: z
          .object({ content: z.record(z.string(), z.object({ schema: schemaSchema })) })
          .optional(),
      }),
    ),
  ),
  components: z.object({ schemas: z.record(z.string(), schemaSchema) }),
});
