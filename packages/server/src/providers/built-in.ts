import type { AcpDefinition } from "./acp/definition.ts";

/**
 * The agents that are known without being configured. Each is set to the mode in which it asks before it changes
 * something, since some start in one that never asks; and each sees the variables of its own service, and of no other.
 */
export const BUILT_IN: readonly AcpDefinition[] = [
  asking({
    name: "gemini",
    title: "Gemini CLI",
    command: ["gemini", "--acp"],
    pathVariable: "GEMINI_CLI_PATH",
    install: "npm install -g @google/gemini-cli",
    // Without it the program starts itself a second time, and takes three times as long.
    env: { GEMINI_CLI_NO_RELAUNCH: "true" },
    passes: [
      "GEMINI_API_KEY",
      "GEMINI_MODEL",
      "GOOGLE_API_KEY",
      "GOOGLE_APPLICATION_CREDENTIALS",
      "GOOGLE_CLOUD_LOCATION",
      "GOOGLE_CLOUD_PROJECT",
      "GOOGLE_GEMINI_BASE_URL",
      "GOOGLE_GENAI_USE_VERTEXAI",
    ],
    mounts: ["~/.gemini/", "$GOOGLE_APPLICATION_CREDENTIALS:ro"],
    mode: "default",
    authMethod: "gemini-api-key",
    // Its session files are named by the minute: one loaded in the minute it was made is overwritten.
    loadableAfterMs: 61_000,
  }),
  asking({
    name: "claude",
    title: "Claude Code",
    command: ["claude-agent-acp"],
    pathVariable: "CLAUDE_AGENT_ACP_PATH",
    install: "npm install -g @agentclientprotocol/claude-agent-acp",
    passes: [
      "ANTHROPIC_API_KEY",
      "ANTHROPIC_AUTH_TOKEN",
      "ANTHROPIC_BASE_URL",
      "ANTHROPIC_MODEL",
      "CLAUDE_CODE_OAUTH_TOKEN",
      "CLAUDE_CONFIG_DIR",
    ],
    mounts: ["~/.claude/", "~/.claude.json", "$CLAUDE_CONFIG_DIR/"],
    mode: "default",
  }),
  asking({
    name: "codex",
    title: "Codex",
    command: ["codex-acp"],
    pathVariable: "CODEX_ACP_PATH",
    install: "npm install -g @agentclientprotocol/codex-acp",
    passes: ["CODEX_API_KEY", "CODEX_HOME", "OPENAI_API_KEY", "OPENAI_BASE_URL"],
    mounts: ["~/.codex/", "$CODEX_HOME/"],
    // Its own default leaves the decision to a model.
    mode: "read-only",
    authMethod: "api-key",
    endsOnCancel: true,
  }),
  asking({
    name: "opencode",
    title: "OpenCode",
    command: ["opencode", "acp"],
    pathVariable: "OPENCODE_PATH",
    install: "npm install -g opencode-ai",
    env: {
      OPENCODE_CONFIG_CONTENT: askBeforeChanges(),
      OPENCODE_DISABLE_AUTOUPDATE: "true",
    },
    passes: ["OPENCODE_API_KEY", "OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR"],
    mounts: [...keptAs("opencode"), "$OPENCODE_CONFIG:ro", "$OPENCODE_CONFIG_DIR"],
    mode: "build",
  }),
  asking({
    name: "qwen",
    title: "Qwen Code",
    command: ["qwen", "--acp"],
    pathVariable: "QWEN_PATH",
    install: "npm install -g @qwen-code/qwen-code",
    // Not OPENAI_API_KEY, which it reads too: that is the key of another service.
    passes: ["BAILIAN_CODING_PLAN_API_KEY", "DASHSCOPE_API_KEY", "QWEN_MODEL"],
    mounts: ["~/.qwen/"],
    // Its own default leaves the decision to a model.
    mode: "default",
    authMethod: "openai",
  }),
  asking({
    name: "copilot",
    title: "GitHub Copilot",
    command: ["copilot", "--acp"],
    pathVariable: "COPILOT_PATH",
    install: "npm install -g @github/copilot",
    env: { COPILOT_AUTO_UPDATE: "false" },
    passes: [
      "COPILOT_GITHUB_TOKEN",
      "COPILOT_HOME",
      "COPILOT_MODEL",
      "COPILOT_OFFLINE",
      "COPILOT_PROVIDER_API_KEY",
      "COPILOT_PROVIDER_BASE_URL",
      "GH_TOKEN",
      "GITHUB_TOKEN",
    ],
    mounts: ["~/.copilot/", "$COPILOT_HOME/"],
    mode: "https://agentclientprotocol.com/protocol/session-modes#agent",
  }),
  asking({
    name: "cline",
    title: "Cline",
    command: ["cline", "--acp", "--auto-approve", "false"],
    pathVariable: "CLINE_PATH",
    install: "npm install -g cline",
    passes: ["CLINE_API_KEY", "CLINE_MODEL", "CLINE_PROVIDER"],
    mounts: ["~/.cline/"],
    mode: "act",
  }),
  asking({
    name: "kilo",
    title: "Kilo Code",
    command: ["kilo", "acp"],
    pathVariable: "KILO_PATH",
    install: "npm install -g @kilocode/cli",
    env: { KILO_CONFIG_CONTENT: askBeforeChanges(), KILO_DISABLE_AUTOUPDATE: "true" },
    passes: ["KILO_API_KEY", "KILO_CONFIG", "KILO_CONFIG_DIR"],
    mounts: [...keptAs("kilo"), "$KILO_CONFIG:ro", "$KILO_CONFIG_DIR"],
  }),
  asking({
    name: "droid",
    title: "Factory Droid",
    command: ["droid", "exec", "--output-format", "acp"],
    pathVariable: "DROID_PATH",
    install: "npm install -g droid",
    passes: ["FACTORY_API_KEY"],
    mounts: ["~/.factory/"],
    mode: "normal",
    authMethod: "factory-api-key",
  }),
  asking({
    name: "goose",
    title: "goose",
    command: ["goose", "acp"],
    pathVariable: "GOOSE_PATH",
    install: "brew install block-goose-cli",
    // It asks for nothing unless told to, and learns that from its environment.
    env: { GOOSE_MODE: "approve" },
    passes: ["GOOSE_MODEL", "GOOSE_PROVIDER"],
    mounts: keptAs("goose"),
  }),
];

function asking(
  definition: Pick<AcpDefinition, "name" | "command"> & Partial<AcpDefinition>,
): AcpDefinition {
  return { ...define(definition), asks: true };
}

/** An agent of the user's own, with nothing that is not said. */
export function define(
  definition: Pick<AcpDefinition, "name" | "command"> & Partial<AcpDefinition>,
): AcpDefinition {
  return {
    title: definition.name,
    env: {},
    passes: [],
    mounts: [],
    pathVariable: null,
    install: null,
    mode: null,
    asks: null,
    models: [],
    authMethod: null,
    endsOnCancel: false,
    tools: true,
    loadableAfterMs: 0,
    ...definition,
  };
}

/** Where a program keeps things that follows the usual folders: what it knows is made for it, the rest may be missing. */
function keptAs(name: string): readonly string[] {
  return [
    `~/.local/share/${name}/`,
    `~/.local/state/${name}/`,
    `~/.config/${name}`,
    `~/.cache/${name}`,
    `$XDG_DATA_HOME/${name}/`,
    `$XDG_STATE_HOME/${name}/`,
    `$XDG_CONFIG_HOME/${name}`,
    `$XDG_CACHE_HOME/${name}`,
  ];
}

/** Configuration these agents merge over what the user and the repository say, which by itself allows everything. */
function askBeforeChanges(): string {
  return JSON.stringify({ permission: { edit: "ask", bash: "ask" } });
}
