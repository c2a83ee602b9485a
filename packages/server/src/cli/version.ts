import { readFileSync } from "node:fs";
import { z } from "zod";

const manifestSchema = z.object({ version: z.string() });

/** Of the package, from its manifest: two folders up, in the sources as in the build. */
export const VERSION = manifestSchema.parse(
  JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")),
).version;
