import type { Readable, Writable } from "node:stream";
import { startAwakeTimer } from "../../awake-timer.ts";
import type { EarlierRequest, EarlierTraffic } from "./earlier-traffic.ts";
import { readFrames } from "./frame-reader.ts";
import { looseObject } from "./loose.ts";
import type { Frame, RequestId } from "./parse-frame.ts";
import { PeerFault, RPC_CODES, RpcError } from "./rpc-error.ts";
import { SecretResult } from "./secret-result.ts";

/** Nothing more is sent while this much waits to be read by the other side. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/** One side of JSON-RPC over newline-delimited JSON. It closes when a pipe breaks. */
export interface JsonRpcPeer {
  /** Throws an `RpcError` if the reply is an error, and a `PeerFault` if there will be no reply. */
  request(method: string, params: unknown, options?: RequestOptions): Promise<unknown>;
  /** The reply to a request of an earlier server; null if there was no such request. */
  adopt(isWanted: (request: EarlierRequest) => boolean): Promise<unknown> | null;
  /** The ID of the last request. */
  readonly lastId: number;
  /** The notification is lost if the other side has exited or does not read. */
  notify(method: string, params: unknown): void;
  /** Reads and handles nothing until the promise has settled. */
  hold(until: Promise<unknown>): void;
  /** The other side has exited: closes after everything it wrote has been handled. */
  finish(): void;
  /** Rejects every pending request. */
  close(reason: string): void;
  /** Resolves with the reason when nothing can be sent or received any more. */
  readonly closed: Promise<string>;
}

export interface RequestOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface PeerOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Requests of all other methods are answered with "method not found". A result can be a `SecretResult`. */
  readonly handlers: Readonly<Record<string, (params: unknown, id: RequestId) => Promise<unknown>>>;
  readonly onNotification: (method: string, params: unknown) => void;
  /** A request without a handler is a sign of life, too. */
  readonly onUnknownRequest?: (method: string) => void;
  /** Every line, unchanged except for a `SecretResult`, and what an incoming one means. */
  readonly onTraffic?: (direction: "in" | "out" | "noise", line: string, frame?: Frame) => void;
  /** Replaces a frame before it is passed to `onTraffic` and handled. */
  readonly decode?: (frame: Frame) => Frame;
  /** A frame is about to be handled. `offset`: the number of bytes of the input up to its end. */
  readonly onFrame?: (offset: number) => void;
  /** Changes a frame before it is handled. */
  readonly clean?: (frame: Frame) => Frame;
  /** The other side has talked to an earlier server, and goes on with this one. */
  readonly earlier?: EarlierTraffic | undefined;
  readonly maxLineBytes?: number;
  readonly maxUnreadBytes?: number;
}

interface PendingRequest {
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
  onFrame = () => {},
  decode = (frame) => frame,
  clean = (frame) => frame,
  earlier,
  maxLineBytes,
  maxUnreadBytes = MAX_UNREAD_BYTES,
}: PeerOptions): JsonRpcPeer {
  const pending = new Map<RequestId, PendingRequest>();
  const closing = Promise.withResolvers<string>();
  let closeReason: string | null = null;
  let requests = earlier?.lastId ?? 0;
  const replied = new Set(earlier?.replied);
  const adoptable = (earlier?.requests ?? []).map((request) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    promise.catch(() => {});
    pending.set(request.id, { method: request.method, resolve, reject });
    return { request, reply: promise };
  });

  const close = (reason: string): void => {
    if (closeReason !== null) return;
    closeReason = reason;
    for (const { method, reject } of pending.values()) {
      reject(new PeerFault("closed", `No reply to ${method}: ${reason}`));
    }
    pending.clear();
    closing.resolve(reason);
  };

  const send = (message: object, shown: object = message): "sent" | "closed" | "overflow" => {
    if (closeReason !== null || !output.writable) return "closed";
    if (output.writableLength > maxUnreadBytes) return "overflow";
    const line = lineOf(message);
    onTraffic("out", shown === message ? line : lineOf(shown));
    output.write(`${line}\n`);
    return "sent";
  };

  const answer = async (frame: Extract<Frame, { frame: "request" }>): Promise<void> => {
    const handler = Object.hasOwn(handlers, frame.method) ? handlers[frame.method] : undefined;
    if (handler === undefined) {
      const message = `Method not found: ${frame.method}`;
      if (!replied.delete(frame.id))
        send({ id: frame.id, error: { code: RPC_CODES.methodNotFound, message } });
      return onUnknownRequest(frame.method);
    }
    const { id } = frame;
    const reply = (message: object, shown?: object): void => {
      // An earlier server has sent it.
      if (!replied.delete(id)) send({ id, ...message }, shown && { id, ...shown });
    };
    try {
      const result = (await handler(frame.params, id)) ?? null;
      if (result instanceof SecretResult) reply({ result: result.sent }, { result: result.shown });
      else reply({ result });
    } catch (error) {
      reply({ error: errorFields(error) });
    }
  };

  const refuse = ({ id, method }: Extract<Frame, { frame: "unreadable" }>): void => {
    if (id === null) return;
    if (method === null) {
      take(id)?.reject(new PeerFault("unreadable", "The reply is too long, or nested too deep"));
    } else {
      const message = "Too long, or nested too deep";
      if (!replied.delete(id)) send({ id, error: { code: RPC_CODES.invalidRequest, message } });
      onUnknownRequest(method);
    }
  };

  /** Only the first reply to a request counts. */
  const take = (id: RequestId): PendingRequest | undefined => {
    const request = pending.get(id);
    pending.delete(id);
    return request;
  };

  const receive = (frame: Frame): void => {
    switch (frame.frame) {
      case "request":
        void answer(frame);
        return;
      case "notification":
        return onNotification(frame.method, frame.params);
      case "result":
        return take(frame.id)?.resolve(frame.result);
      case "error":
        return take(frame.id)?.reject(parseRpcError(frame.error));
      case "unreadable":
        return refuse(frame);
      case "noise":
        return;
      default:
        return frame satisfies never;
    }
  };

  const reader = readFrames(input, {
    onFrame: (read, line, offset) => {
      const frame = decode(read);
      onFrame(offset);
      onTraffic(frame.frame === "noise" ? "noise" : "in", line, frame);
      receive(clean(frame));
    },
    onEnd: close,
    maxLineBytes,
    offset: earlier?.offset,
  });
  output.on("error", (error) => close(`its input cannot be written: ${error.message}`));

  return {
    request: async (method, params, { timeoutMs, signal } = {}) => {
      const abortFault = (): PeerFault =>
        new PeerFault("aborted", `${method} was aborted`, { cause: signal?.reason });
      if (signal?.aborted === true) throw abortFault();
      const id = (requests += 1);
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      pending.set(id, { method, resolve, reject });
      const outcome = send({ id, method, params });
      if (outcome !== "sent") {
        pending.delete(id);
        const reason = closeReason ?? NOT_SENT_REASONS[outcome];
        throw new PeerFault(outcome, `${method} was not sent: ${reason}`);
      }
      const onAbort = (): void => take(id)?.reject(abortFault());
      const onTimeout = (): void =>
        take(id)?.reject(new PeerFault("timed_out", `No reply to ${method} in ${timeoutMs} ms`));
      const timer = timeoutMs === undefined ? null : startAwakeTimer(timeoutMs, onTimeout);
      signal?.addEventListener("abort", onAbort);
      try {
        return await promise;
      } finally {
        timer?.stop();
        signal?.removeEventListener("abort", onAbort);
      }
    },
    adopt: (isWanted) => adoptable.find(({ request }) => isWanted(request))?.reply ?? null,
    get lastId() {
      return requests;
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

/** Long enough to read what is in the pipe, and short for callers that wait for the end. */
const FINISH_QUIET_MS = 250;

const NOT_SENT_REASONS = {
  closed: "its input has ended",
  overflow: "it does not read its input",
} as const;

function lineOf(message: object): string {
  return JSON.stringify({ jsonrpc: "2.0", ...message });
}

function parseRpcError(error: unknown): RpcError {
  const { code, message, data } = looseObject(error) ?? {};
  return new RpcError(
    typeof code === "number" ? code : RPC_CODES.internalError,
    typeof message === "string" ? message : "The agent gave no reason",
    data,
  );
}

function errorFields(error: unknown): object {
  if (!(error instanceof RpcError)) {
    return { code: RPC_CODES.internalError, message: "Internal error" };
  }
  const { code, message, data } = error;
  return { code, message, data };
}
