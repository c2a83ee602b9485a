import type { Readable, Writable } from "node:stream";
import { readFrames } from "./frame-reader.ts";
import { looseObject } from "./loose.ts";
import type { Frame, RequestId } from "./parse-frame.ts";
import { PeerFault, RPC_CODES, RpcError } from "./rpc-error.ts";

/** What waits to be read by the other side beyond this is not written any more. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/** One side of JSON-RPC over newline-delimited JSON. Closes at the first broken pipe. */
export interface JsonRpcPeer {
  /** Throws an `RpcError` when that is the answer, a `PeerFault` when there will be none. */
  request(method: string, params: unknown, options?: RequestOptions): Promise<unknown>;
  /** Lost in silence when the other side is gone or does not read. */
  notify(method: string, params: unknown): void;
  /** What comes in is not handled until the promise has settled, nor read: the other side has to wait. */
  hold(until: Promise<unknown>): void;
  /** The other side's process is gone: closes when all it had written has been handled. */
  finish(): void;
  /** Ends every request that waits. */
  close(reason: string): void;
  /** Resolves, with the reason, when nothing can be sent or received any more. */
  readonly closed: Promise<string>;
}

export interface RequestOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface PeerOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** What the other side may ask. Everything else is answered as unknown. */
  readonly handlers: Readonly<Record<string, (params: unknown, id: RequestId) => Promise<unknown>>>;
  /** Told of requests that have no handler, too: they are answered, and show that somebody is there. */
  readonly onNotification: (method: string, params: unknown) => void;
  readonly onUnknownRequest?: (method: string) => void;
  /** Every line as it went over the pipe. */
  readonly onTraffic?: (direction: "in" | "out" | "noise", line: string) => void;
  readonly maxLineBytes?: number;
  readonly maxUnreadBytes?: number;
}

interface Waiting {
  readonly method: string;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

export function openJsonRpcPeer({
  input,
  output,
  handlers,
  onNotification,
  onUnknownRequest = () => {},
  onTraffic = () => {},
  maxLineBytes,
  maxUnreadBytes = MAX_UNREAD_BYTES,
}: PeerOptions): JsonRpcPeer {
  const waiting = new Map<RequestId, Waiting>();
  const closing = Promise.withResolvers<string>();
  let closedFor: string | null = null;
  let requests = 0;

  const close = (reason: string): void => {
    if (closedFor !== null) return;
    closedFor = reason;
    for (const { method, reject } of waiting.values()) {
      reject(new PeerFault("closed", `No answer to ${method}: ${reason}`));
    }
    waiting.clear();
    closing.resolve(reason);
  };

  const send = (message: object): "sent" | "closed" | "overflow" => {
    if (closedFor !== null || !output.writable) return "closed";
    if (output.writableLength > maxUnreadBytes) return "overflow";
    const line = JSON.stringify({ jsonrpc: "2.0", ...message });
    onTraffic("out", line);
    output.write(`${line}\n`);
    return "sent";
  };

  const answer = async (frame: Extract<Frame, { frame: "request" }>): Promise<void> => {
    const handler = Object.hasOwn(handlers, frame.method) ? handlers[frame.method] : undefined;
    if (handler === undefined) {
      const message = `Method not found: ${frame.method}`;
      send({ id: frame.id, error: { code: RPC_CODES.methodNotFound, message } });
      return onUnknownRequest(frame.method);
    }
    try {
      send({ id: frame.id, result: (await handler(frame.params, frame.id)) ?? null });
    } catch (error) {
      send({ id: frame.id, error: errorOf(error) });
    }
  };

  const unreadable = ({ id, method }: Extract<Frame, { frame: "unreadable" }>): void => {
    if (id === null) return;
    if (method === null) {
      settle(id)?.reject(new PeerFault("unreadable", "The answer is too long, or nested too deep"));
    } else {
      const message = "Too long, or nested too deep";
      send({ id, error: { code: RPC_CODES.invalidRequest, message } });
      onUnknownRequest(method);
    }
  };

  /** Only the first answer finds somebody waiting. */
  const settle = (id: RequestId): Waiting | undefined => {
    const found = waiting.get(id);
    waiting.delete(id);
    return found;
  };

  const receive = (frame: Frame): void => {
    switch (frame.frame) {
      case "request":
        void answer(frame);
        return;
      case "notification":
        return onNotification(frame.method, frame.params);
      case "result":
        return settle(frame.id)?.resolve(frame.result);
      case "error":
        return settle(frame.id)?.reject(parseRpcError(frame.error));
      case "unreadable":
        return unreadable(frame);
      case "noise":
        return;
      default:
        return frame satisfies never;
    }
  };

  const reader = readFrames(input, {
    onFrame: (frame, line) => {
      onTraffic(frame.frame === "noise" ? "noise" : "in", line);
      receive(frame);
    },
    onEnd: close,
    ...(maxLineBytes === undefined ? {} : { maxLineBytes }),
  });
  output.on("error", (error) => close(`its input cannot be written: ${error.message}`));

  return {
    request: async (method, params, { timeoutMs, signal } = {}) => {
      if (signal?.aborted === true) throw aborted(method, signal);
      const id = (requests += 1);
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      waiting.set(id, { method, resolve, reject });
      const sent = send({ id, method, params });
      if (sent !== "sent") {
        waiting.delete(id);
        throw new PeerFault(sent, `${method} was not sent: ${closedFor ?? WHY_NOT_SENT[sent]}`);
      }
      const giveUp = (fault: PeerFault): void => settle(id)?.reject(fault);
      const onAbort = (): void => {
        if (signal !== undefined) giveUp(aborted(method, signal));
      };
      const timer =
        timeoutMs === undefined
          ? null
          : setTimeout(
              () => giveUp(new PeerFault("timed_out", `No answer to ${method} in ${timeoutMs} ms`)),
              timeoutMs,
            );
      signal?.addEventListener("abort", onAbort);
      try {
        return await promise;
      } finally {
        if (timer !== null) clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      }
    },
    notify: (method, params) => {
      send({ method, params });
    },
    hold: reader.hold,
    finish: () => reader.finish(FINISH_QUIET_MS),
    close,
    closed: closing.promise,
  };
}

/** Long enough for what is in the pipe, short for those who wait to hear that it is over. */
const FINISH_QUIET_MS = 250;

const WHY_NOT_SENT = {
  closed: "its input has ended",
  overflow: "it does not read what was sent before",
} as const;

function parseRpcError(error: unknown): RpcError {
  const parts = looseObject(error);
  if (parts === null) return new RpcError(RPC_CODES.internalError, "The agent gave no reason");
  const { code, message, data } = parts;
  return new RpcError(
    typeof code === "number" ? code : RPC_CODES.internalError,
    typeof message === "string" ? message : "The agent gave no reason",
    data,
  );
}

function errorOf(error: unknown): { code: number; message: string; data?: unknown } {
  if (!(error instanceof RpcError)) {
    return { code: RPC_CODES.internalError, message: "Internal error" };
  }
  const { code, message, data } = error;
  return { code, message, ...(data === undefined ? {} : { data }) };
}

function aborted(method: string, signal: AbortSignal): PeerFault {
  return new PeerFault("aborted", `${method} was given up`, { cause: signal.reason });
}
