import { mkdirSync } from "node:fs";
import path from "node:path";
import {
  methods,
  type PromptResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk/unstable";
import { createClient, type Client } from "../../packages/client/src/index.ts";
import { scriptedCommand } from "../../packages/server/src/providers/testing/scripted-provider.ts";
import {
  prepareFolder,
  removeFolder,
  startHoldfast,
  type RunningServer,
} from "../e2e/holdfast-process.ts";
import { openEditor, type Editor, type EditorOptions } from "./editor.ts";

/** A server with a scripted agent, and editors that use it. */
export interface EditorWorld {
  readonly server: () => RunningServer;
  readonly client: () => Client;
  /** The repository, which is also the workspace root. */
  readonly root: string;
  readonly folder: string;
  open(options?: Partial<EditorOptions>): Promise<Editor>;
  /** The ID of a new session in the repository. */
  newSession(editor: Editor): Promise<string>;
  /** Kills the server at once and starts it again. */
  killAndStart(): Promise<void>;
  kill(): Promise<void>;
  start(): Promise<void>;
  end(): Promise<void>;
}

export async function openEditorWorld(config: object = {}): Promise<EditorWorld> {
  const providers = {
    scripted: { type: "acp", command: scriptedCommand },
    second: { type: "acp", command: scriptedCommand },
  };
  const { folder, data, root } = prepareFolder({
    providers,
    defaultProvider: "scripted",
    ...config,
  });
  mkdirSync(path.join(root, "src"), { recursive: true });
  const start = (): Promise<RunningServer> =>
    startHoldfast({ data, env: { AGENT_WORKSPACE_ROOT: root } });
  let server = await start();
  let client = createClient(server);
  const editors = new Set<Editor>();
  const world: EditorWorld = {
    server: () => server,
    client: () => client,
    root,
    folder,
    async open(options = {}) {
      const editor = await openEditor({ server, cwd: root, ...options });
      editors.add(editor);
      return editor;
    },
    async newSession({ agent }) {
      const { sessionId } = await agent.request(methods.agent.session.new, {
        cwd: root,
        mcpServers: [],
      });
      return sessionId;
    },
    async kill() {
      await server.end("SIGKILL");
    },
    async start() {
      server = await start();
      client = createClient(server);
    },
    async killAndStart() {
      await world.kill();
      await world.start();
    },
    async end() {
      for (const editor of editors) await editor.close();
      await server.end("SIGTERM");
      removeFolder(folder);
    },
  };
  return world;
}

/** Sends a text and waits for the end of the turn. */
export function prompt(
  { agent }: Editor,
  sessionId: string,
  text: string,
): Promise<PromptResponse> {
  return agent.request(methods.agent.session.prompt, {
    sessionId,
    prompt: [{ type: "text", text }],
  });
}

/** The text of one kind of chunk, in order. */
export function textOf(
  updates: readonly SessionUpdate[],
  kind:
    | "agent_message_chunk"
    | "agent_thought_chunk"
    | "user_message_chunk" = "agent_message_chunk",
): string {
  return updates
    .flatMap((update) =>
      update.sessionUpdate === kind && update.content.type === "text" ? [update.content.text] : [],
    )
    .join("");
}

export function ofKind<Kind extends SessionUpdate["sessionUpdate"]>(
  updates: readonly SessionUpdate[],
  kind: Kind,
): Extract<SessionUpdate, { sessionUpdate: Kind }>[] {
  return updates.filter(
    (update): update is Extract<SessionUpdate, { sessionUpdate: Kind }> =>
      update.sessionUpdate === kind,
  );
}
