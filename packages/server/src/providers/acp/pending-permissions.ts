import { randomUUID } from "node:crypto";
import type { RequestPermissionResponse } from "@agentclientprotocol/sdk";
import type { AgentReport, PermissionAnswer } from "../provider.ts";
import type { RequestId } from "./wire/parse-frame.ts";
import { RPC_CODES, RpcError } from "./wire/rpc-error.ts";
import type { Translator } from "./translate/translator.ts";

/** What an agent has asked and nobody has answered. Every request is answered once, whatever happens. */
export interface PendingPermissions {
  /** Handles a `session/request_permission`. */
  ask(params: unknown, rpcId: RequestId): Promise<RequestPermissionResponse>;
  /** False when nobody waits for it any more. */
  answer(requestId: string, answer: PermissionAnswer): boolean;
  /** The agent has taken its request back. */
  withdraw(rpcId: unknown): void;
  /** Answers all as cancelled; those who were asked are told unless it is they who want it. */
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
  /** False when nobody is there to be asked: no prompt is on, or it is being cancelled. */
  readonly mayAsk: () => boolean;
  readonly report: (report: AgentReport) => void;
}): PendingPermissions {
  const pending = new Map<string, Pending>();

  return {
    ask: async (params, rpcId) => {
      if (!mayAsk() || pending.size >= MAX_PENDING) return CANCELLED;
      const translated = translator.permission(params);
      if (translated === null) {
        report({ report: "alive" });
        throw new RpcError(RPC_CODES.invalidParams, "The request names no options to choose from");
      }
      const { promise, resolve, reject } = Promise.withResolvers<RequestPermissionResponse>();
      const requestId = randomUUID();
      pending.set(requestId, { requestId, rpcId, resolve, reject });
      const { request, fingerprint, reports } = translated;
      for (const one of reports) report(one);
      report({ report: "permission", requestId, request, fingerprint });
      return promise;
    },
    answer: (requestId, answer) => {
      const found = pending.get(requestId);
      if (found === undefined) return false;
      pending.delete(requestId);
      found.resolve(
        answer.outcome === "selected"
          ? { outcome: { outcome: "selected", optionId: answer.optionId } }
          : CANCELLED,
      );
      return true;
    },
    withdraw: (rpcId) => {
      for (const one of pending.values()) {
        if (one.rpcId !== rpcId) continue;
        pending.delete(one.requestId);
        one.reject(new RpcError(RPC_CODES.requestCancelled, "Request cancelled"));
        report({ report: "withdrawn", requestId: one.requestId });
      }
    },
    cancelAll: ({ isReported }) => {
      for (const one of pending.values()) {
        pending.delete(one.requestId);
        one.resolve(CANCELLED);
        if (isReported) report({ report: "withdrawn", requestId: one.requestId });
      }
    },
  };
}

/** Who asks more than this at once is not asking people. */
const MAX_PENDING = 100;
const CANCELLED: RequestPermissionResponse = { outcome: { outcome: "cancelled" } };
