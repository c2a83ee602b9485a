import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** A real agent, its package, and its settings for a model on loopback. */
export interface RealAgent {
  /** The provider's name. */
  readonly name: string;
  readonly package: string;
  readonly version: string;
  readonly program: string;
  /** How a new process learns, within a minute, what an earlier one was told. */
  readonly memory: "resumed" | "loaded" | "briefed";
  /**
   * How its model gets Holdfast's tools: they are in its list; it is told their names and searches for them;
   * it can search but is not told that they exist; or not at all.
   */
  readonly tools: "listed" | "searched" | "unnamed" | "none";
  /** Writes the agent's files into its home and returns its environment variables. */
  setUp(setup: AgentSetup): Readonly<Record<string, string>>;
  /** Absent if it works without a login. */
  readonly login?: {
    /** Like `setUp`, without a login. */
    setUp(setup: AgentSetup): Readonly<Record<string, string>>;
    /** Writes the files that the agent's own login writes. */
    write(setup: AgentSetup): void;
  };
}

export interface AgentSetup {
  readonly home: string;
  /** URL of the models, without a path. */
  readonly url: string;
}

export const REAL_AGENTS: readonly RealAgent[] = [
  {
    name: "claude",
    package: "@agentclientprotocol/claude-agent-acp",
    version: "0.99.0",
    program: "claude-agent-acp",
    memory: "resumed",
    tools: "searched",
    setUp: ({ url }) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: KEY }),
    login: {
      setUp: ({ url }) => ({ ANTHROPIC_BASE_URL: url }),
      write: ({ home }) => write(path.join(home, ".claude/.credentials.json"), claudeLogin()),
    },
  },
  {
    name: "opencode",
    package: "opencode-ai",
    version: "1.18.18",
    program: "opencode",
    memory: "resumed",
    tools: "listed",
    setUp: ({ home, url }) => {
      write(path.join(home, ".config/opencode/opencode.json"), JSON.stringify(openCode(url)));
      return {};
    },
  },
  {
    name: "gemini",
    package: "@google/gemini-cli",
    version: "0.61.0",
    program: "gemini",
    memory: "briefed",
    tools: "listed",
    setUp: ({ url }) => ({
      GEMINI_API_KEY: KEY,
      GOOGLE_GEMINI_BASE_URL: url,
      // Otherwise the agent first asks a model which model to use.
      GEMINI_MODEL: "gemini-2.5-flash",
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    }),
    login: {
      setUp: () => ({ GEMINI_MODEL: "gemini-2.5-flash", GEMINI_CLI_TRUST_WORKSPACE: "true" }),
      // With an address of its own it asks for no login, so that comes with the key.
      write: ({ home, url }) =>
        write(
          path.join(home, ".gemini/.env"),
          `GEMINI_API_KEY=${KEY}\nGOOGLE_GEMINI_BASE_URL=${url}\n`,
        ),
    },
  },
  {
    name: "codex",
    package: "@agentclientprotocol/codex-acp",
    version: "2.6.0",
    program: "codex-acp",
    memory: "resumed",
    tools: "listed",
    setUp: ({ home, url }) => {
      write(path.join(home, ".codex/config.toml"), codex(url));
      return { OPENAI_API_KEY: KEY };
    },
    login: {
      setUp: ({ home, url }) => {
        const own = codex(url)
          .replace('env_key = "OPENAI_API_KEY"\n', "")
          .replace("requires_openai_auth = false", "requires_openai_auth = true");
        write(path.join(home, ".codex/config.toml"), own);
        return {};
      },
      write: ({ home }) => {
        const auth = { auth_mode: "apikey", OPENAI_API_KEY: KEY };
        write(path.join(home, ".codex/auth.json"), JSON.stringify(auth));
      },
    },
  },
  {
    name: "qwen",
    package: "@qwen-code/qwen-code",
    version: "0.24.4",
    program: "qwen",
    memory: "resumed",
    tools: "unnamed",
    setUp: ({ home, url }) => {
      const variables = {
        OPENAI_API_KEY: KEY,
        OPENAI_BASE_URL: `${url}/v1`,
        OPENAI_MODEL: MODEL,
      };
      // Holdfast does not pass these on by itself: the key is that of another service.
      const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
      write(path.join(home, ".qwen/.env"), lines.join(""));
      return variables;
    },
    login: {
      setUp: ({ url }) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: MODEL }),
      write: ({ home }) => write(path.join(home, ".qwen/.env"), `OPENAI_API_KEY=${KEY}\n`),
    },
  },
  {
    name: "copilot",
    package: "@github/copilot",
    version: "1.0.102",
    program: "copilot",
    memory: "loaded",
    // Copilot accepts tool servers over HTTP only.
    tools: "listed",
    setUp: ({ url }) => ({
      COPILOT_OFFLINE: "true",
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: KEY,
      COPILOT_MODEL: MODEL,
    }),
  },
];

const KEY = "no-real-key";
const MODEL = "fake-model";

/** A subscription, as `claude auth login` stores it. */
function claudeLogin(): string {
  const day = 24 * 3_600_000;
  return JSON.stringify({
    claudeAiOauth: {
      accessToken: "sk-ant-oat01-fake",
      refreshToken: "sk-ant-ort01-fake",
      expiresAt: Date.now() + 365 * day,
      scopes: ["user:inference", "user:profile"],
      subscriptionType: "max",
    },
  });
}

function openCode(url: string): object {
  return {
    model: `fake/${MODEL}`,
    small_model: `fake/${MODEL}`,
    share: "disabled",
    autoupdate: false,
    provider: {
      fake: {
        npm: "@ai-sdk/openai-compatible",
        name: "Fake",
        options: { baseURL: `${url}/v1`, apiKey: KEY },
        models: { [MODEL]: { name: "Fake", limit: { context: 128_000, output: 8_192 } } },
      },
    },
  };
}

function codex(url: string): string {
  return `model = "${MODEL}"
model_provider = "fake"

[model_providers.fake]
name = "Fake"
base_url = "${url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
requires_openai_auth = false
`;
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
