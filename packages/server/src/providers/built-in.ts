import type { AcpDefinition } from "./acp/definition.ts";

type Definition = Pick<AcpDefinition, "name" | "command"> & Partial<AcpDefinition>;

/** OpenCode and Kilo allow everything by default. They merge this over the settings of user and repository. */
const ASK_BEFORE_CHANGES = JSON.stringify({ permission: { edit: "ask", bash: "ask" } });

/**
 * The agents that need no configuration. Each gets a mode in which it asks before it makes changes, because some never
 * ask by default, and only the variables of its own service.
 */
const AGENTS: readonly Definition[] = [
  {
    name: "gemini",
    title: "Gemini CLI",
    command: ["gemini", "--acp"],
    pathVariable: "GEMINI_CLI_PATH",
    install: "npm install -g @google/gemini-cli",
    login: "Run gemini once and choose how to log in, or set GEMINI_API_KEY.",
    env: {
      // Otherwise the program starts itself a second time, which takes three times as long.
      GEMINI_CLI_NO_RELAUNCH: "true",
      // Otherwise commands run in a pseudo-terminal, and their output is not reported.
      GEMINI_PTY_INFO: "child_process",
    },
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
    // Its session files are named by the minute: a session loaded in the minute of its creation is overwritten.
    loadableAfterMs: 61_000,
  },
  {
    name: "claude",
    title: "Claude Code",
    command: ["claude-agent-acp"],
    pathVariable: "CLAUDE_AGENT_ACP_PATH",
    install: "npm install -g @agentclientprotocol/claude-agent-acp",
    login: "Run npx @anthropic-ai/claude-code once and type /login, or set ANTHROPIC_API_KEY.",
    passes: [
      "ANTHROPIC_API_KEY",
      "ANTHROPIC_AUTH_TOKEN",
      "ANTHROPIC_BASE_URL",
      "ANTHROPIC_MODEL",
      "CLAUDE_CODE_OAUTH_TOKEN",
      "CLAUDE_CONFIG_DIR",
    ],
    mounts: ["~/.claude/", "~/.claude.json", "$CLAUDE_CONFIG_DIR/"],
    outputFiles: [
      "~/.claude/projects/*/*/tool-results/*",
      "$CLAUDE_CONFIG_DIR/projects/*/*/tool-results/*",
    ],
    mode: "default",
    speaksLate: true,
  },
  {
    name: "codex",
    title: "Codex",
    command: ["codex-acp"],
    pathVariable: "CODEX_ACP_PATH",
    install: "npm install -g @agentclientprotocol/codex-acp",
    login: "Run npx @openai/codex login, or set OPENAI_API_KEY.",
    passes: ["CODEX_API_KEY", "CODEX_HOME", "OPENAI_API_KEY", "OPENAI_BASE_URL"],
    mounts: ["~/.codex/", "$CODEX_HOME/"],
    // Its default mode lets a model decide.
    mode: "read-only",
    authMethod: "api-key",
    endsOnCancel: true,
    speaksLate: true,
  },
  {
    name: "opencode",
    title: "OpenCode",
    command: ["opencode", "acp"],
    pathVariable: "OPENCODE_PATH",
    install: "npm install -g opencode-ai",
    login: "Run opencode auth login.",
    env: {
      OPENCODE_CONFIG_CONTENT: ASK_BEFORE_CHANGES,
      OPENCODE_DISABLE_AUTOUPDATE: "true",
    },
    passes: ["OPENCODE_API_KEY", "OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR"],
    mounts: [...standardFolders("opencode"), "$OPENCODE_CONFIG:ro", "$OPENCODE_CONFIG_DIR"],
    outputFiles: ["~/.local/share/opencode/tool-output/*", "$XDG_DATA_HOME/opencode/tool-output/*"],
    mode: "build",
    speaksLate: true,
  },
  {
    name: "qwen",
    title: "Qwen Code",
    command: ["qwen", "--acp"],
    pathVariable: "QWEN_PATH",
    install: "npm install -g @qwen-code/qwen-code",
    login: "Run qwen once and type /auth.",
    // It also reads OPENAI_API_KEY, but that is the key of another service.
    passes: ["BAILIAN_CODING_PLAN_API_KEY", "DASHSCOPE_API_KEY", "QWEN_MODEL"],
    mounts: ["~/.qwen/"],
    outputFiles: ["~/.qwen/tmp/*/*.output"],
    // Its default mode lets a model decide.
    mode: "default",
    authMethod: "openai",
    speaksLate: true,
  },
  {
    name: "copilot",
    title: "GitHub Copilot",
    command: ["copilot", "--acp"],
    pathVariable: "COPILOT_PATH",
    install: "npm install -g @github/copilot",
    login: "Run copilot once and type /login, or set GH_TOKEN.",
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
    speaksLate: true,
  },
  {
    name: "cline",
    title: "Cline",
    command: ["cline", "--acp", "--auto-approve", "false"],
    pathVariable: "CLINE_PATH",
    install: "npm install -g cline",
    login: "Run cline auth.",
    passes: ["CLINE_API_KEY", "CLINE_MODEL", "CLINE_PROVIDER"],
    mounts: ["~/.cline/"],
    mode: "act",
    speaksLate: true,
  },
  {
    name: "kilo",
    title: "Kilo Code",
    command: ["kilo", "acp"],
    pathVariable: "KILO_PATH",
    install: "npm install -g @kilocode/cli",
    login: "Run kilo auth login.",
    env: { KILO_CONFIG_CONTENT: ASK_BEFORE_CHANGES, KILO_DISABLE_AUTOUPDATE: "true" },
    passes: ["KILO_API_KEY", "KILO_CONFIG", "KILO_CONFIG_DIR"],
    mounts: [...standardFolders("kilo"), "$KILO_CONFIG:ro", "$KILO_CONFIG_DIR"],
    speaksLate: true,
  },
  {
    name: "droid",
    title: "Factory Droid",
    command: ["droid", "exec", "--output-format", "acp"],
    pathVariable: "DROID_PATH",
    install: "npm install -g droid",
    login: "Run droid once and log in, or set FACTORY_API_KEY.",
    passes: ["FACTORY_API_KEY"],
    mounts: ["~/.factory/"],
    mode: "normal",
    authMethod: "factory-api-key",
  },
  {
    name: "goose",
    title: "goose",
    command: ["goose", "acp"],
    pathVariable: "GOOSE_PATH",
    install: "brew install block-goose-cli",
    login: "Run goose configure.",
    // It asks only if this variable says so.
    env: { GOOSE_MODE: "approve" },
    passes: ["GOOSE_MODEL", "GOOSE_PROVIDER"],
    mounts: standardFolders("goose"),
  },
];

export const BUILT_IN = AGENTS.map((agent) => define({ ...agent, asks: true }));

/** Completes a definition with neutral values. */
export function define(definition: Definition): AcpDefinition {
  return {
    title: definition.name,
    protocol: 1,
    env: {},
    passes: [],
    mounts: [],
    outputFiles: [],
    network: "open",
    pathVariable: null,
    install: null,
    login: null,
    mode: null,
    asks: null,
    models: [],
    authMethod: null,
    endsOnCancel: false,
    speaksLate: false,
    mcpServers: {},
    tools: true,
    loadableAfterMs: 0,
    ...definition,
  };
}

/** The XDG folders of a program. Those for data and state are created, the others may be missing. */
function standardFolders(name: string): readonly string[] {
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
