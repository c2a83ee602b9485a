import type { AgentReport } from "../provider.ts";
import type { RequestId } from "./wire/parse-frame.ts";
import { RPC_CODES, RpcError } from "./wire/rpc-error.ts";

interface Pending<Response> {
  readonly rpcId: RequestId;
  resolve(response: Response): void;
  reject(error: RpcError): void;
}

export interface PendingOptions<Response> {
  /** The reply to a request that nobody answers. */
  readonly cancelled: Response;
  /** Completes the sentence "It … 1,000 times". */
  readonly asked: string;
  readonly newId: () => string;
  readonly report: (report: AgentReport) => void;
}

/** Requests of an agent that a person answers. Each gets exactly one reply. */
export class PendingRequests<Response> {
  readonly #options: PendingOptions<Response>;
  readonly #pending = new Map<string, Pending<Response>>();
  /** Requests in this prompt that came while too many were open. */
  #refused = 0;

  constructor(options: PendingOptions<Response>) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#pending.size >= MAX_PENDING;
  }

  /** The reply to a request that came while too many were open. */
  refuse(): Response {
    const { asked, cancelled, report } = this.#options;
    this.#refused += 1;
    if (this.#refused === MAX_REFUSED) {
      const reason = `it ${asked} ${MAX_REFUSED.toLocaleString("en")} times while ${MAX_PENDING} requests were open`;
      report({ report: "excess", reason });
    }
    return cancelled;
  }

  add(rpcId: RequestId): { readonly requestId: string; readonly reply: Promise<Response> } {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const requestId = this.#options.newId();
    this.#pending.set(requestId, { rpcId, resolve, reject });
    return { requestId, reply: promise };
  }

  /** False if the agent no longer waits for the answer. */
  answer(requestId: string, response: Response): boolean {
    const request = this.#pending.get(requestId);
    if (request === undefined) return false;
    this.#pending.delete(requestId);
    request.resolve(response);
    return true;
  }

  /** The agent has cancelled its request. */
  withdraw(rpcId: unknown): void {
    for (const [requestId, request] of this.#pending) {
      if (request.rpcId !== rpcId) continue;
      this.#pending.delete(requestId);
      request.reject(new RpcError(RPC_CODES.requestCancelled, "Request cancelled"));
      this.#options.report({ report: "withdrawn", requestId });
    }
  }

  /** Replies "cancelled" to all. `isReported`: also reports that they were withdrawn. */
  cancelAll({ isReported }: { readonly isReported: boolean }): void {
    this.#refused = 0;
    for (const [requestId, { resolve }] of this.#pending) {
      this.#pending.delete(requestId);
      resolve(this.#options.cancelled);
      if (isReported) this.#options.report({ report: "withdrawn", requestId });
    }
  }
}

/** More requests at once are not meant for a person. */
const MAX_PENDING = 100;
/** An agent that goes on asking after so many refusals does not stop by itself. */
const MAX_REFUSED = 1_000;
