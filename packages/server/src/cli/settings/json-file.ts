import { readFileSync, renameSync, writeFileSync } from "node:fs";
import type { z } from "zod";

/** What a small file of ours says; null when it is not there, or says something else. */
export function readJsonFile<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
): z.infer<Schema> | null {
  try {
    return schema.safeParse(JSON.parse(readFileSync(file, "utf8"))).data ?? null;
  } catch {
    return null;
  }
}

/** Whole or not at all: who reads meanwhile finds what was there before. */
export function replaceJsonFile(file: string, value: object): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}
