import { appendFileSync } from "node:fs";

export interface Incoming {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

/** The scripted agent's side of the pipes. */
export interface Wire {
  raw(bytes: string | Uint8Array): void;
  send(message: object): void;
  /** Resolves when everything is written, or the pipe is closed. */
  flushed(): Promise<void>;
  /** Sends a request to the client, and returns the whole reply. */
  ask(method: string, params: unknown): { readonly id: string; readonly answer: Promise<Incoming> };
  read(onMessage: (message: Incoming) => void, onEnd: () => void): void;
  /** Writes an event that is not a message into the log. */
  note(got: "SIGTERM" | "end of stdin"): void;
  deaf(): void;
  hear(): void;
}

export function openWire(log: string | null): Wire {
  const asked = new Map<unknown, (message: Incoming) => void>();
  let asks = 0;
  const raw = (bytes: string | Uint8Array): void => {
    process.stdout.write(bytes);
  };
  const send = (message: object): void =>
    raw(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  // If the client has exited, the script decides what happens next.
  process.stdout.on("error", () => {});
  return {
    raw,
    send,
    flushed: () =>
      new Promise((resolve) => {
        process.stdout.write("", () => resolve());
      }),
    ask: (method, params) => {
      const id = `ask-${(asks += 1)}`;
      const answer = new Promise<Incoming>((resolve) => asked.set(id, resolve));
      send({ id, method, params });
      return { id, answer };
    },
    read: (onMessage, onEnd) => {
      let buffered = "";
      process.stdin.setEncoding("utf8");
      process.stdin.on("data", (chunk: string) => {
        const lines = (buffered + chunk).split("\n");
        buffered = lines.pop() ?? "";
        for (const line of lines) {
          if (log !== null) appendFileSync(log, `${line}\n`);
          const message = JSON.parse(line) as Incoming;
          const waiting = message.method === undefined ? asked.get(message.id) : undefined;
          if (waiting === undefined) onMessage(message);
          else waiting(message);
        }
      });
      process.stdin.on("end", onEnd);
    },
    note: (got) => {
      if (log !== null) appendFileSync(log, `${JSON.stringify({ got })}\n`);
    },
    deaf: () => {
      process.stdin.pause();
      // Keeps the process alive.
      setInterval(() => {}, 60_000);
    },
    hear: () => process.stdin.resume(),
  };
}
