import { randomUUID } from "node:crypto";
import type { RequestPermissionResponse } from "@agentclientprotocol/sdk";
import type { AgentReport, PermissionAnswer } from "../provider.ts";
import type { Translator } from "./translate/translate.ts";
import type { RequestId } from "./wire/parse-frame.ts";
import { RPC_CODES, RpcError } from "./wire/rpc-error.ts";

/** The permission requests of an agent that have no answer yet. Each gets exactly one reply. */
export interface PendingPermissions {
  /** Handles a `session/request_permission`. */
  ask(params: unknown, rpcId: RequestId): Promise<RequestPermissionResponse>;
  /** False if the agent no longer waits for the answer. */
  answer(requestId: string, answer: PermissionAnswer): boolean;
  /** The agent has cancelled its request. */
  withdraw(rpcId: unknown): void;
  /** Replies "cancelled" to all. `isReported`: also reports that they were withdrawn. */
  cancelAll(options: { readonly isReported: boolean }): void;
}

interface Pending {
  readonly requestId: string;
  readonly rpcId: RequestId;
  resolve(response: RequestPermissionResponse): void;
  reject(error: RpcError): void;
}

export function createPendingPermissions({
  translator,
  mayAsk,
  report,
}: {
  readonly translator: Translator;
  /** False if nobody would answer: there is no prompt, or it is being cancelled. */
  readonly mayAsk: () => boolean;
  readonly report: (report: AgentReport) => void;
}): PendingPermissions {
  const pending = new Map<string, Pending>();
  /** Requests in this prompt that came while too many were open. */
  let refused = 0;

  const refuse = (): RequestPermissionResponse => {
    refused += 1;
    if (refused === MAX_REFUSED) {
      const reason = `it asked for permission ${MAX_REFUSED.toLocaleString("en")} times while ${MAX_PENDING} requests were open`;
      report({ report: "excess", reason });
    }
    return CANCELLED;
  };

  return {
    ask: async (params, rpcId) => {
      if (!mayAsk()) return CANCELLED;
      if (pending.size >= MAX_PENDING) return refuse();
      const translated = translator.permission(params);
      if (translated === null) {
        report({ report: "alive" });
        throw new RpcError(RPC_CODES.invalidParams, "The request names no options to choose from");
      }
      const { promise, resolve, reject } = Promise.withResolvers<RequestPermissionResponse>();
      const requestId = randomUUID();
      pending.set(requestId, { requestId, rpcId, resolve, reject });
      const { request, fingerprint, reports } = translated;
      for (const earlier of reports) report(earlier);
      report({ report: "permission", requestId, request, fingerprint });
      return promise;
    },
    answer: (requestId, answer) => {
      const request = pending.get(requestId);
      if (request === undefined) return false;
      pending.delete(requestId);
      request.resolve(
        answer.outcome === "selected"
          ? { outcome: { outcome: "selected", optionId: answer.optionId } }
          : CANCELLED,
      );
      return true;
    },
    withdraw: (rpcId) => {
      for (const request of pending.values()) {
        if (request.rpcId !== rpcId) continue;
        pending.delete(request.requestId);
        request.reject(new RpcError(RPC_CODES.requestCancelled, "Request cancelled"));
        report({ report: "withdrawn", requestId: request.requestId });
      }
    },
    cancelAll: ({ isReported }) => {
      refused = 0;
      for (const { requestId, resolve } of pending.values()) {
        pending.delete(requestId);
        resolve(CANCELLED);
        if (isReported) report({ report: "withdrawn", requestId });
      }
    },
  };
}

/** More requests at once are not meant for a person. */
const MAX_PENDING = 100;
/** An agent that goes on asking after so many refusals does not stop by itself. */
const MAX_REFUSED = 1_000;
const CANCELLED: RequestPermissionResponse = { outcome: { outcome: "cancelled" } };
