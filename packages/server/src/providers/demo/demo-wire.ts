import type { Readable, Writable } from "node:stream";

/** JSON-RPC in lines, as an agent speaks it; small, because the demo must be there at once. */
export interface Wire {
  notify(method: string, params: object): void;
  /** Resolves with the result; rejects when it is answered with an error, or given up by the signal. */
  request(method: string, params: object, signal: AbortSignal): Promise<unknown>;
  /** Resolves when everything said so far has left this process. */
  flush(): Promise<void>;
}

export interface WireHandlers {
  readonly onRequest: (method: string, params: Fields) => Promise<object>;
  readonly onNotification: (method: string, params: Fields) => void;
  readonly onEnd: () => void;
}

export type Fields = Readonly<Record<string, unknown>>;

/** An answer that is an error of the protocol. */
export class WireError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = "WireError";
    this.code = code;
  }
}

export const WIRE_CODES = {
  unreadable: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  failed: -32603,
  notFound: -32002,
} as const;

/** Longer lines are dropped, so that nobody can fill the memory. */
const MAX_LINE = 8 * 1024 * 1024;

export function openWire(
  { input, output }: { input: Readable; output: Writable },
  { onRequest, onNotification, onEnd }: WireHandlers,
): Wire {
  const waiting = new Map<number, (answer: Fields) => void>();
  let lastId = 0;
  let written: Promise<void> = Promise.resolve();

  const send = (message: object): void => {
    const line = `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
    written = new Promise((resolve) => output.write(line, () => resolve()));
  };

  const answer = async (id: unknown, method: string, params: Fields): Promise<void> => {
    try {
      send({ id, result: await onRequest(method, params) });
    } catch (error) {
      const code = error instanceof WireError ? error.code : WIRE_CODES.failed;
      send({ id, error: { code, message: error instanceof Error ? error.message : "failed" } });
    }
  };

  const take = (line: string): void => {
    const message = parseFields(line);
    if (message === null) return;
    const { id, method } = message;
    const params = toFields(message["params"]) ?? {};
    if (typeof method !== "string") {
      if (typeof id !== "number") return;
      waiting.get(id)?.(message);
      waiting.delete(id);
    } else if (id === undefined) {
      onNotification(method, params);
    } else {
      void answer(id, method, params);
    }
  };

  readLines(input, take, onEnd);

  return {
    notify: (method, params) => send({ method, params }),
    request(method, params, signal) {
      const id = (lastId += 1);
      return new Promise((resolve, reject) => {
        const giveUp = (): void => {
          waiting.delete(id);
          send({ method: "$/cancel_request", params: { requestId: id } });
          reject(new WireError(WIRE_CODES.failed, "given up"));
        };
        waiting.set(id, ({ result, error }) => {
          signal.removeEventListener("abort", giveUp);
          if (error === undefined) resolve(result);
          else reject(new WireError(WIRE_CODES.failed, "refused by the client"));
        });
        send({ id, method, params });
        if (signal.aborted) giveUp();
        else signal.addEventListener("abort", giveUp, { once: true });
      });
    },
    flush: () => written,
  };
}

export function toFields(value: unknown): Fields | null {
  return isFields(value) ? value : null;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseFields(line: string): Fields | null {
  try {
    const value: unknown = JSON.parse(line);
    return toFields(value);
  } catch {
    return null;
  }
}

function readLines(input: Readable, take: (line: string) => void, onEnd: () => void): void {
  let rest = "";
  let isTooLong = false;
  input.setEncoding("utf8");
  input.on("data", (piece: string) => {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!isTooLong && line.length <= MAX_LINE) take(line);
      isTooLong = false;
    }
    if (rest.length > MAX_LINE) {
      rest = "";
      isTooLong = true;
    }
  });
  input.on("end", onEnd);
  input.on("error", onEnd);
}
