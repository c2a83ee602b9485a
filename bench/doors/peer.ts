import { spawn } from "node:child_process";
import { WebSocket } from "ws";

/** A door of Holdfast as its client sees it: a program on stdio, or a WebSocket, that speaks JSON-RPC. */
export interface Peer {
  request(method: string, params: object): Promise<Reply>;
  close(): Promise<void>;
}

export interface Reply {
  readonly result: Readonly<Record<string, unknown>>;
  /** When it arrived. */
  readonly at: bigint;
}

/** Gets each notification, as text. */
export type Listener = (message: string, at: bigint) => void;

/** Starts a program that speaks one message on each line. */
export function startPeer(
  args: readonly string[],
  { cwd, onNotification = () => {} }: { readonly cwd: string; readonly onNotification?: Listener },
): Peer {
  const child = spawn(process.execPath, [...args], { cwd, stdio: ["pipe", "pipe", "inherit"] });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const peer = createPeer((message) => void child.stdin.write(`${message}\n`), onNotification);
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const at = process.hrtime.bigint();
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) peer.take(line, at);
  });
  child.once("exit", (code) => peer.end(new Error(`${args.join(" ")} exited with ${code}`)));
  return {
    request: peer.request,
    close: async () => {
      child.stdin.end();
      await exited;
    },
  };
}

export async function connectPeer(
  url: string,
  {
    headers,
    onNotification,
  }: { readonly headers: Readonly<Record<string, string>>; readonly onNotification: Listener },
): Promise<Peer> {
  const socket = new WebSocket(url, { headers, perMessageDeflate: false });
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    socket.once("open", () => resolve());
    socket.once("error", reject);
  });
  const peer = createPeer((message) => socket.send(message), onNotification);
  socket.on("message", (data: Buffer) => peer.take(data.toString(), process.hrtime.bigint()));
  socket.once("close", () => peer.end(new Error(`${url} was closed`)));
  return {
    request: peer.request,
    close: async () => {
      socket.close();
      await closed;
    },
  };
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

function createPeer(write: (message: string) => void, onNotification: Listener) {
  const waiting = new Map<number, (answer: Message | Error, at: bigint) => void>();
  let requests = 0;
  return {
    request: (method: string, params: object): Promise<Reply> =>
      new Promise((resolve, reject) => {
        requests += 1;
        waiting.set(requests, (answer, at) => {
          if (answer instanceof Error) reject(answer);
          else if (answer.result !== undefined) resolve({ result: answer.result, at });
          else reject(new Error(`${method}: ${answer.error?.message}`));
        });
        write(JSON.stringify({ jsonrpc: "2.0", id: requests, method, params }));
      }),
    take(text: string, at: bigint) {
      const message: Message = JSON.parse(text);
      if (message.method !== undefined) return onNotification(text, at);
      if (message.id === undefined) return;
      waiting.get(message.id)?.(message, at);
      waiting.delete(message.id);
    },
    end(error: Error) {
      for (const settle of waiting.values()) settle(error, 0n);
      waiting.clear();
    },
  };
}
