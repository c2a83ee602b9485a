import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";

const FOLDER = path.resolve(import.meta.dirname, "../../docs/acp-registry");
const { version } = z
  .object({ version: z.string() })
  .parse(
    JSON.parse(
      readFileSync(path.resolve(import.meta.dirname, "../../packages/server/package.json"), "utf8"),
    ),
  );

/** What the registry of the protocol requires of an entry that npx starts. */
const entrySchema = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9-]*$/u),
  name: z.string().min(1),
  version: z.string().regex(/^[0-9]+\.[0-9]+\.[0-9]+$/u),
  description: z.string().min(1),
  repository: z.url(),
  authors: z.array(z.string()),
  license: z.string(),
  icon: z.string(),
  distribution: z.strictObject({
    npx: z.strictObject({
      package: z.string().regex(/^[a-z-]+@[0-9.]+$/u),
      args: z.array(z.string()),
    }),
  }),
});

it("the entry for the registry of the protocol is valid, and of this version (D5)", () => {
  const entry = entrySchema.parse(
    JSON.parse(readFileSync(path.join(FOLDER, "agent.json"), "utf8")),
  );
  expect(entry.version).toBe(version);
  expect(entry.distribution.npx).toEqual({ package: `holdfast@${version}`, args: ["acp"] });
});

it("its icon has 16 by 16 pixels and the colour of its surroundings (D5)", () => {
  const icon = readFileSync(path.join(FOLDER, "icon.svg"), "utf8");
  expect(icon).toContain('width="16" height="16"');
  const colours = [...icon.matchAll(/(?:fill|stroke)="(?<colour>[^"]+)"/gu)].map(
    ({ groups }) => groups?.["colour"],
  );
  expect(new Set(colours)).toEqual(new Set(["none", "currentColor"]));
});
