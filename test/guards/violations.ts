export interface Violation {
  readonly it: string;
  readonly path: string;
  readonly source: string;
  /** The error code that must be reported for this file. */
  readonly code: string;
}

const server = "packages/server/src";

export const compilerViolations: readonly Violation[] = [
  {
    it: "the domain imports storage",
    path: `${server}/domain/up.ts`,
    source: 'import { open } from "../storage/store.ts";\nopen();',
    code: "TS6307",
  },
  {
    it: "the domain imports only a type of storage",
    path: `${server}/domain/up-type.ts`,
    source: 'import type { Row } from "../storage/tables.ts";\nexport type A = Row;',
    code: "TS6307",
  },
  {
    it: "the domain imports node:fs",
    path: `${server}/domain/file.ts`,
    source: 'import { readFileSync } from "node:fs";\nreadFileSync("a");',
    code: "TS2591",
  },
  {
    it: "the domain starts a timer",
    path: `${server}/domain/timer.ts`,
    source: "setTimeout(() => {}, 1);\nexport {};",
    code: "TS2304",
  },
  {
    it: "the domain prints",
    path: `${server}/domain/print.ts`,
    source: 'console.log("a");\nexport {};',
    code: "TS2584",
  },
  {
    it: "the domain fetches",
    path: `${server}/domain/fetch.ts`,
    source: 'void fetch("a");\nexport {};',
    code: "TS2304",
  },
  {
    it: "storage imports the runtime",
    path: `${server}/storage/up.ts`,
    source: 'import { hub } from "../runtime/hub.ts";\nhub();',
    code: "TS6307",
  },
  {
    it: "the client imports Node",
    path: "packages/client/src/file.ts",
    source: 'import { readFileSync } from "node:fs";\nreadFileSync("a");',
    code: "TS2591",
  },
  {
    it: "the client imports the server",
    path: "packages/client/src/server.ts",
    source: 'export * from "../../server/src/domain/session.ts";',
    code: "TS6307",
  },
];

export const linterViolations: readonly Violation[] = [
  {
    it: "the domain reads the clock",
    path: `${server}/domain/now.ts`,
    source: "export const at = Date.now();",
    code: "eslint(no-restricted-globals)",
  },
  {
    it: "the domain creates a date",
    path: `${server}/domain/date.ts`,
    source: "export const at = new Date();",
    code: "eslint(no-restricted-globals)",
  },
  {
    it: "the domain reads the clock through globalThis",
    path: `${server}/domain/global.ts`,
    source: "export const at = globalThis.Date.now();",
    code: "eslint(no-restricted-globals)",
  },
  {
    it: "the domain uses a random number",
    path: `${server}/domain/random.ts`,
    source: "export const n = Math.random();",
    code: "eslint(no-restricted-properties)",
  },
  {
    it: "the domain destructures random from Math",
    path: `${server}/domain/destructured-random.ts`,
    source: "const { random } = Math;\nexport const n = random();",
    code: "eslint(no-restricted-properties)",
  },
  {
    it: "a promise is not awaited",
    path: `${server}/storage/drop.ts`,
    source: "export function a(work: () => Promise<void>): void {\n  work();\n}",
    code: "typescript(no-floating-promises)",
  },
  {
    it: "a promise is used as a boolean",
    path: `${server}/storage/misuse.ts`,
    source:
      "export function a(work: () => Promise<boolean>): number {\n  if (work()) return 1;\n  return 0;\n}",
    code: "typescript(no-misused-promises)",
  },
  {
    it: "a value that is not a promise is awaited",
    path: `${server}/storage/await.ts`,
    source: "export async function a(n: number): Promise<void> {\n  await n;\n}",
    code: "typescript(await-thenable)",
  },
  {
    it: "a switch misses a member",
    path: `${server}/storage/switch.ts`,
    source:
      'export function a(n: "x" | "y"): number {\n  switch (n) {\n    case "x":\n      return 1;\n  }\n  return 0;\n}',
    code: "typescript(switch-exhaustiveness-check)",
  },
  {
    it: "a type is any",
    path: `${server}/storage/any.ts`,
    source: "export const a = (n: any): unknown => n;",
    code: "typescript(no-explicit-any)",
  },
  {
    it: "a non-null assertion is used",
    path: `${server}/storage/bang.ts`,
    source: "export const a = (n: string | null): string => n!;",
    code: "typescript(no-non-null-assertion)",
  },
  {
    it: "a type is asserted",
    path: `${server}/storage/claim.ts`,
    source: "export const a = (n: unknown): string => n as string;",
    code: "typescript(no-unsafe-type-assertion)",
  },
  {
    it: "two files import each other",
    path: `${server}/storage/ring.ts`,
    source: 'import { b } from "./ring-back.ts";\nexport const a = (): unknown => b;',
    code: "import(no-cycle)",
  },
  {
    it: "a file has a default export",
    path: `${server}/storage/default.ts`,
    source: "export default 1;",
    code: "import(no-default-export)",
  },
  {
    it: "a file has more than 400 lines",
    path: `${server}/storage/long.ts`,
    source: "export {};\n".repeat(401),
    code: "eslint(max-lines)",
  },
  {
    it: "the server prints instead of logging",
    path: `${server}/http/print.ts`,
    source: 'console.log("a");\nexport {};',
    code: "eslint(no-console)",
  },
  {
    it: "a test prevents others from running",
    path: `${server}/storage/only.test.ts`,
    source: 'import { it } from "vitest";\nit.only("is alone", () => {});',
    code: "vitest(no-focused-tests)",
  },
];

/** Files that the violations need, and files that look like violations but are correct. */
export const correctFiles: Readonly<Record<string, string>> = {
  "packages/protocol/src/index.ts": "export {};",
  "packages/web/vite.config.ts": "export default {};",
  [`${server}/domain/session.ts`]: "export const limit = Math.max(1, 2);",
  [`${server}/domain/session.test.ts`]: "export const at = Date.now();",
  [`${server}/storage/store.ts`]: "export const open = (): void => {};",
  [`${server}/storage/tables.ts`]: "export type Row = readonly string[];",
  [`${server}/runtime/hub.ts`]: "export const hub = (): void => {};",
  [`${server}/cli/print.ts`]: 'console.log("a");\nexport {};',
};
