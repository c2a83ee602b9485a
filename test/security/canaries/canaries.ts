import { randomBytes } from "node:crypto";
import type { McpServers } from "../../../packages/protocol/src/index.ts";
import { createMatcher } from "../../../packages/server/src/providers/secrets/matcher.ts";

/** A secret of the test. It is found anywhere by its kernel, whatever surrounds it. */
export interface Canary {
  readonly name: string;
  /** What the agent gives away. */
  readonly value: string;
  /** Random letters and digits inside the value. */
  readonly kernel: string;
}

/** The canaries that are in the configuration; those that the server makes are added while it runs. */
export interface ConfiguredCanaries {
  readonly all: readonly Canary[];
  /** `env` of the agent, of another agent, and of the server. */
  readonly env: Readonly<Record<string, string>>;
  readonly otherEnv: Readonly<Record<string, string>>;
  readonly serverEnv: Readonly<Record<string, string>>;
  /** `passEnv` of the agent. */
  readonly passEnv: readonly string[];
  /** MCP servers of the agent, and of the session, which may use `MCP_OF_SESSION`. */
  readonly mcpServers: McpServers;
  readonly sessionServers: McpServers;
  readonly modelKey: string;
  readonly token: string;
  readonly password: string;
}

export function newCanary(name: string, around = (kernel: string): string => kernel): Canary {
  const kernel = newKernel();
  return { name, kernel, value: around(kernel) };
}

/** Finds the kernel of a canary that the server made. */
export function canaryOf(name: string, value: string): Canary {
  const words = value.match(/[A-Za-z0-9]+/gu) ?? [];
  const kernel = words.toSorted((left, right) => right.length - left.length)[0] ?? value;
  return { name, value, kernel };
}

function newKernel(): string {
  return randomBytes(40).toString("base64").replaceAll(/[+/=]/gu, "").slice(0, 32);
}

/** Secrets of many shapes, as services make them and as people choose them. */
const SHAPES: Readonly<Record<string, (kernel: string) => string>> = {
  OPENAI_API_KEY: (kernel) => `sk-proj-${kernel}`,
  SERVICE_A: (kernel) => kernel,
  SERVICE_B: (kernel) => `with "quotes" and \\ ${kernel} '`,
  SERVICE_C: (kernel) => `${kernel}/+=%&?#`,
  SERVICE_D: (kernel) => `<xml>&${kernel};`,
  SERVICE_E: (kernel) => `Grüße, ${kernel} 🔑`,
  SERVICE_F: (kernel) => `${kernel.toLowerCase()}`,
  SERVICE_G: (kernel) => `two lines\n${kernel}\tand a tab`,
  SERVICE_H: (kernel) => `key ${kernel} with spaces`,
  SERVICE_I: (kernel) => `xoxb-1234-${kernel}-5678`,
  SERVICE_J: (kernel) => `ghp_${kernel}`,
  SERVICE_K: (kernel) => `${kernel}${kernel.toUpperCase()}`,
};

export function configuredCanaries(): ConfiguredCanaries {
  const all: Canary[] = [];
  const add = (name: string, around?: (kernel: string) => string): string => {
    const made = newCanary(name, around);
    // Shapes may change the letters of the kernel.
    const kernel = made.value.includes(made.kernel) ? made.kernel : made.kernel.toLowerCase();
    all.push({ ...made, kernel });
    return made.value;
  };
  const shaped = (prefix: string): Record<string, string> =>
    Object.fromEntries(
      Object.entries(SHAPES).map(([name, around]) => [
        `${prefix}${name}`,
        add(`${prefix}${name}`, around),
      ]),
    );
  const header = add("a header", (kernel) => kernel);
  const inUrl = add("a password in a URL", (kernel) => kernel);
  const inJson = add("a key in JSON", (kernel) => kernel);
  const inProxy = add("the password of the proxy", (kernel) => kernel);
  const line = add("a line of a private key", (kernel) => kernel.repeat(2));
  const passed = Object.fromEntries(
    ["PASSED_API_KEY", "PASSED_TOKEN", "PASSED_PASSWORD", "PASSED_PAT", "PASSED_PLAIN_NAME"].map(
      (name) => [name, add(name, (kernel) => `${kernel}=`)],
    ),
  );
  const modelKey = add("the key of a model");
  const ofServers = {
    MCP_OF_PROVIDER: add("a variable of a provider's MCP server"),
    MCP_OF_SESSION: add("a variable of a session's MCP server"),
    MCP_UNUSED: add("an allowed variable that no MCP server uses"),
  };
  return {
    all,
    env: {
      ...shaped(""),
      AUTHORIZATION_HEADER: `Bearer ${header}`,
      SOME_DATABASE: `postgres://me:${inUrl}@db.example/app`,
      SETTINGS_CONTENT: JSON.stringify({ mcp: { headers: { "X-Api-Key": inJson } } }),
      PRIVATE_PEM: `-----BEGIN KEY-----\n${line}\n-----END KEY-----\n`,
    },
    otherEnv: shaped("OTHER_"),
    serverEnv: {
      ...passed,
      ...ofServers,
      MODEL_KEY: modelKey,
      HTTPS_PROXY: `http://me:${inProxy}@proxy.example:3128`,
    },
    passEnv: Object.keys(passed),
    mcpServers: {
      program: {
        command: "/bin/true",
        env: { SERVICE: add("a value of a provider's MCP server") },
        envFrom: { REGION: "MCP_OF_PROVIDER" },
      },
      address: {
        type: "sse",
        url: "https://mcp.example/sse",
        headers: { Authorization: `Bearer ${add("a header of a provider's MCP server")}` },
      },
    },
    sessionServers: {
      mine: { command: "/bin/true", envFrom: { LEVEL: "MCP_OF_SESSION" } },
      web: {
        type: "http",
        url: "https://mcp.example/",
        headersFrom: { "X-Own": "MCP_OF_SESSION" },
      },
    },
    modelKey,
    token: add("HOLDFAST_TOKEN"),
    password: add("the database's password"),
  };
}

/** Finds canaries in texts, plainly or encoded, and returns their names with the text around them. */
export function canarySearch(canaries: readonly Canary[]): (text: string) => readonly string[] {
  const matcher = createMatcher();
  const names = new Map<string, string>();
  for (const { name, kernel } of canaries) {
    for (const trace of traces(kernel)) {
      matcher.add(trace);
      names.set(trace, name);
    }
  }
  return (text) => {
    const found = new Map<string, string>();
    for (const { start, end } of matcher.find(text)) {
      const [trace = ""] = [...names.keys()].filter((each) => text.startsWith(each, start));
      found.set(
        names.get(trace) ?? "?",
        JSON.stringify(text.slice(Math.max(0, start - 80), end + 40)),
      );
    }
    return [...found].map(([name, around]) => `${name}: ${around}`);
  };
}

/** Each half of a kernel, and its encodings without the characters that depend on its neighbours. */
function traces(kernel: string): readonly string[] {
  const half = Math.ceil(kernel.length / 2);
  const hex = Buffer.from(kernel).toString("hex");
  // The scripted agent names its modes in upper case, and a secret in upper case is not recognised.
  const halves = [kernel.slice(0, half), kernel.slice(half)].filter(
    (each) => each !== each.toUpperCase(),
  );
  return [
    ...halves,
    hex,
    hex.toUpperCase(),
    hex.replaceAll(/../gu, (code) => `%${code}`),
    hex.replaceAll(/../gu, (code) => `\\u00${code}`),
    hex.replaceAll(/../gu, (code) => `\\\\u00${code}`),
    ...["", "x", "xx"].map((some) =>
      Buffer.from(`${some}${kernel}`).toString("base64").slice(4, -4),
    ),
  ];
}
