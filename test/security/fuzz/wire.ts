import { Agent, request } from "node:http";

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

export interface Asked {
  readonly method: string;
  /** As it goes over the wire: nothing is put in order. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface Wire {
  ask(asked: Asked): Promise<Answer>;
  close(): void;
}

/** Requests as they are written, and what came back; of a stream that does not end, only how it begins. */
export function openWire(port: number): Wire {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const ask = ({ method, path, headers = {}, body }: Asked): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const asking = request(
        { host: "127.0.0.1", port, method, path, agent, headers: { ...headers }, timeout: 20_000 },
        (reply) => {
          const { statusCode: status = 0 } = reply;
          const type = reply.headers["content-type"] ?? "";
          const answer = { status, type, headers: reply.headers };
          if (type.startsWith("text/event-stream")) {
            asking.destroy();
            return resolve({ ...answer, body: "" });
          }
          const parts: Buffer[] = [];
          reply.on("data", (part: Buffer) => parts.push(part));
          reply.on("end", () => resolve({ ...answer, body: Buffer.concat(parts).toString() }));
          reply.on("error", reject);
        },
      );
      asking.on("timeout", () => asking.destroy(new Error(`no answer to ${method} ${path}`)));
      asking.on("error", reject);
      asking.end(body);
    });
  return { ask, close: () => agent.destroy() };
}
