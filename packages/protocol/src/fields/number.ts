import { z } from "zod";

/** A number of things, or a position. */
export const countSchema = z.int().nonnegative();

/** The same in a query, where it is text. */
export const countInputSchema = z.coerce.number().int().nonnegative();

/** The maximum number of entries on a page. */
export function limitSchema(max: number, defaultLimit: number) {
  return z.coerce.number().int().min(1).max(max).default(defaultLimit);
}
