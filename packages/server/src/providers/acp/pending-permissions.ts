import type { RequestPermissionResponse } from "@agentclientprotocol/sdk";
import type { AgentReport, PermissionAnswer } from "../provider.ts";
import type { Asking } from "./asking.ts";
import { PendingRequests } from "./pending-requests.ts";
import type { Refusals } from "./refusals.ts";
import type { Translator } from "./translate/translate.ts";
import type { RequestId } from "./wire/parse-frame.ts";
import { RPC_CODES, RpcError } from "./wire/rpc-error.ts";

/** The permission requests of an agent that have no answer yet. */
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

export function createPendingPermissions({
  translator,
  refusals,
  asking,
  newRequestId,
  report,
}: {
  readonly translator: Translator;
  readonly refusals: Refusals;
  readonly asking: () => Asking;
  readonly newRequestId: () => string;
  readonly report: (report: AgentReport) => void;
}): PendingPermissions {
  const pending = new PendingRequests<RequestPermissionResponse>({
    cancelled: CANCELLED,
    asked: "asked for permission",
    newId: newRequestId,
    report,
  });
  return {
    ask: async (params, rpcId) => {
      const when = asking();
      if (when !== "now" && when !== "cancelling")
        refusals.invalid("a permission request", "no message was being worked on");
      if (when !== "now") return CANCELLED;
      if (pending.isFull) return pending.refuse();
      const translated = translator.permission(params);
      if (translated === null) {
        refusals.invalid("a permission request", "it names no options to choose from");
        throw new RpcError(RPC_CODES.invalidParams, "The request names no options to choose from");
      }
      const { requestId, reply } = pending.add(rpcId);
      const { request, fingerprint, reports } = translated;
      for (const earlier of reports) report(earlier);
      report({ report: "permission", requestId, request, fingerprint });
      return reply;
    },
    answer: (requestId, answer) =>
      pending.answer(
        requestId,
        answer.outcome === "selected"
          ? { outcome: { outcome: "selected", optionId: answer.optionId } }
          : CANCELLED,
      ),
    withdraw: (rpcId) => pending.withdraw(rpcId),
    cancelAll: (options) => pending.cancelAll(options),
  };
}

const CANCELLED: RequestPermissionResponse = { outcome: { outcome: "cancelled" } };
