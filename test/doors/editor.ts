import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import {
  client,
  methods,
  ndJsonStream,
  type ClientConnection,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type InitializeRequest,
  type InitializeResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type Stream,
} from "@agentclientprotocol/sdk/unstable";
import { WebSocket } from "ws";
import { BINARY, type RunningServer } from "../e2e/holdfast-process.ts";

export const TRANSPORTS = ["stdio", "WebSocket", "HTTP"] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** An editor, with the client of the protocol's SDK. It keeps everything that it is told. */
export interface Editor {
  readonly agent: ClientConnection["agent"];
  readonly connection: ClientConnection;
  readonly about: InitializeResponse;
  readonly updates: SessionUpdate[];
  readonly permissions: Asked<RequestPermissionRequest, RequestPermissionResponse>[];
  readonly forms: Asked<CreateElicitationRequest, CreateElicitationResponse>[];
  /** Of stdio only. */
  readonly process: ChildProcessWithoutNullStreams | null;
  readonly stderr: () => string;
  close(): Promise<void>;
}

export interface Asked<Params, Reply> {
  readonly params: Params;
  readonly reply: (reply: Reply) => void;
  /** Aborts when the question is withdrawn. */
  readonly signal: AbortSignal;
}

export interface EditorOptions {
  readonly server: RunningServer;
  readonly transport?: Transport;
  readonly token?: string;
  readonly args?: readonly string[];
  readonly cwd: string;
  readonly capabilities?: InitializeRequest["clientCapabilities"];
}

export async function openEditor(options: EditorOptions): Promise<Editor> {
  const { stream, process: child, stderr } = await connect(options);
  const updates: SessionUpdate[] = [];
  const permissions: Editor["permissions"] = [];
  const forms: Editor["forms"] = [];
  const connection = client({ name: "test-editor" })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, ({ params, signal }) => {
      const { promise, resolve } = Promise.withResolvers<RequestPermissionResponse>();
      permissions.push({ params, signal, reply: resolve });
      return promise;
    })
    .onRequest(methods.client.elicitation.create, ({ params, signal }) => {
      const { promise, resolve } = Promise.withResolvers<CreateElicitationResponse>();
      forms.push({ params, signal, reply: resolve });
      return promise;
    })
    .connect(stream);
  const { agent } = connection;
  const about = await agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: options.capabilities ?? { elicitation: { form: {}, url: {} } },
    clientInfo: { name: "test-editor", version: "1" },
  });
  const ended =
    child === null
      ? Promise.resolve()
      : new Promise<void>((done) => child.once("exit", () => done()));
  return {
    agent,
    connection,
    about,
    updates,
    permissions,
    forms,
    process: child,
    stderr,
    async close() {
      connection.close();
      child?.stdin.end();
      await ended;
    },
  };
}

async function connect({
  server,
  transport = "stdio",
  token,
  args = [],
  cwd,
}: EditorOptions): Promise<{
  stream: Stream;
  process: ChildProcessWithoutNullStreams | null;
  stderr: () => string;
}> {
  const headers = { authorization: `Bearer ${token ?? server.token}` };
  const nothing = { process: null, stderr: () => "" };
  switch (transport) {
    case "HTTP":
      return { stream: createHttpStream(`${server.url}/acp`, { headers }), ...nothing };
    case "WebSocket":
      return {
        stream: createWebSocketStream(`${server.url.replace("http", "ws")}/acp`, {
          headers,
          WebSocket,
        }),
        ...nothing,
      };
    case "stdio": {
      const words = [BINARY, "acp", "--data", server.data, ...args];
      const env = token === undefined ? process.env : { ...process.env, HOLDFAST_TOKEN: token };
      const child = spawn(process.execPath, words, { cwd, env });
      let text = "";
      child.stderr.setEncoding("utf8").on("data", (more: string) => (text += more));
      const input: ReadableStream<Uint8Array> = Readable.toWeb(child.stdout);
      const output: WritableStream<Uint8Array> = Writable.toWeb(child.stdin);
      return { stream: ndJsonStream(output, input), process: child, stderr: () => text };
    }
    default:
      return transport satisfies never;
  }
}
