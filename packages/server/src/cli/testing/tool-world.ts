import path from "node:path";
import { createAgentTokens, type AgentTokens } from "../../http/guard/agent-token.ts";
import { buildApp } from "../../http/build-app.ts";
import { type App } from "../../http/app.ts";
import { listen } from "../../http/testing/test-app.ts";
import type { ToolServer } from "../../providers/provider.ts";
import { TestRuntime, type TestRuntimeOptions } from "../../runtime/testing/test-runtime.ts";
import { answerMcp } from "../tools/tool-endpoint.ts";
import { openAgentTools } from "../tools/agent-tools.ts";

/** The parts that change with a restart. */
interface Part {
  toolsFor: (sessionId: string) => Promise<readonly ToolServer[]>;
}

/** A runtime with its API and agents with tools, composed like a server. */
export class ToolWorld {
  readonly test: TestRuntime;
  readonly #part: Part;
  readonly #token: string | null;
  #app: App | null = null;
  url = "";
  tokens: AgentTokens;

  private constructor(parts: {
    readonly test: TestRuntime;
    readonly part: Part;
    readonly tokens: AgentTokens;
    readonly token: string | null;
  }) {
    this.test = parts.test;
    this.#part = parts.part;
    this.tokens = parts.tokens;
    this.#token = parts.token;
  }

  static async open({
    token = null,
    ...options
  }: TestRuntimeOptions & { readonly token?: string | null } = {}): Promise<ToolWorld> {
    const tokens = createAgentTokens();
    const part: Part = { toolsFor: async () => [] };
    const test = await TestRuntime.open({
      ...options,
      toolsFor: (sessionId) => part.toolsFor(sessionId),
    });
    const world = new ToolWorld({ test, part, tokens, token });
    await world.#listen();
    return world;
  }

  toolsFor(sessionId: string): Promise<readonly ToolServer[]> {
    return this.#part.toolsFor(sessionId);
  }

  /** Stops and starts the server with new keys, like another process. */
  async restart(options: Partial<TestRuntimeOptions> = {}): Promise<void> {
    await this.test.stop();
    await this.#app?.close();
    this.tokens = createAgentTokens();
    await this.test.restartWith(options);
    await this.#listen();
  }

  async close(): Promise<void> {
    await this.test.close();
    await this.#app?.close();
  }

  async #listen(): Promise<void> {
    const tools = openAgentTools(this.tokens, { command: FROM_SOURCE });
    this.#part.toolsFor = tools.toolsFor;
    this.#app = await buildApp({
      runtime: this.test.runtime,
      version: "1.2.3",
      startedAt: new Date(),
      token: this.#token,
      agentTokens: this.tokens,
      answerMcp,
      webFolder: null,
    });
    this.url = `http://127.0.0.1:${await listen(this.#app)}`;
    tools.reachableAt(this.url);
  }
}

const FROM_SOURCE = {
  command: process.execPath,
  args: [path.join(import.meta.dirname, "mcp-program.mjs")],
};
