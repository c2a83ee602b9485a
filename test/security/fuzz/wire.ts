import { Agent, request } from "node:http";

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

export interface WireRequest {
  readonly method: string;
  /** Sent unchanged, without normalization. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface Wire {
  send(request: WireRequest): Promise<Answer>;
  close(): void;
}

/** Sends requests unchanged and returns the responses. Only the head of an event stream is read. */
export function openWire(port: number): Wire {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const send = ({ method, path, headers = {}, body }: WireRequest): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const outgoing = request(
        { host: "127.0.0.1", port, method, path, agent, headers: { ...headers }, timeout: 200_000 },
        (reply) => {
          const { statusCode: status = 0 } = reply;
          const type = reply.headers["content-type"] ?? "";
          const answer = { status, type, headers: reply.headers };
          if (type.startsWith("text/event-stream")) {
            outgoing.destroy();
            return resolve({ ...answer, body: "" });
          }
          const parts: Buffer[] = [];
          reply.on("data", (part: Buffer) => parts.push(part));
          reply.on("end", () => resolve({ ...answer, body: Buffer.concat(parts).toString() }));
          reply.on("error", reject);
        },
      );
      outgoing.on("timeout", () => outgoing.destroy(new Error(`no response to ${method} ${path}`)));
      outgoing.on("error", reject);
      outgoing.end(body);
    });
  return { send, close: () => agent.destroy() };
}
