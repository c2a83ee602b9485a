import type { CreateElicitationResponse } from "@agentclientprotocol/sdk";
import type { ElicitationAnswer } from "../../domain/elicitation/check-answer.ts";
import type { AgentReport } from "../provider.ts";
import type { Asking } from "./asking.ts";
import { PendingRequests } from "./pending-requests.ts";
import type { Refusals } from "./refusals.ts";
import type { Translator } from "./translate/translate.ts";
import { looseLabel, looseObject } from "./wire/loose.ts";
import type { RequestId } from "./wire/parse-frame.ts";
import { RPC_CODES, RpcError } from "./wire/rpc-error.ts";

/** The elicitations of an agent that have no answer yet. */
export interface PendingElicitations {
  /** Handles an `elicitation/create`. */
  create(params: unknown, rpcId: RequestId): Promise<CreateElicitationResponse>;
  /** Handles an `elicitation/complete`: the person has finished at the URL. */
  complete(params: unknown): void;
  /** False if the agent no longer waits for the answer. */
  answer(requestId: string, answer: ElicitationAnswer): boolean;
  /** The agent has cancelled its request. */
  withdraw(rpcId: unknown): void;
  /** A prompt has begun: what the agent asked since it was opened is asked now. */
  begin(): void;
  /** Replies "cancel" to all. `isReported`: also reports that they were withdrawn. */
  cancelAll(options: { readonly isReported: boolean }): void;
}

export function createPendingElicitations({
  translator,
  refusals,
  asking,
  report,
}: {
  readonly translator: Translator;
  readonly refusals: Refusals;
  readonly asking: () => Asking;
  readonly report: (report: AgentReport) => void;
}): PendingElicitations {
  const pending = new PendingRequests<CreateElicitationResponse>({
    cancelled: CANCEL,
    asked: "asked for input",
    report,
  });
  /** The open requests by the agent's own IDs of URLs. */
  const urls = new Map<string, string>();
  let held: AgentReport[] = [];

  return {
    create: async (params, rpcId) => {
      const when = asking();
      if (when === "no") refusals.invalid("a question", "no message was being worked on");
      if (when === "no" || when === "cancelling") return CANCEL;
      if (pending.isFull) return pending.refuse();
      const translated = translator.elicitation(params);
      if (!translated.ok) {
        refusals.invalid("a question", translated.problem);
        throw new RpcError(RPC_CODES.invalidParams, `Not shown, because ${translated.problem}`);
      }
      const { request, fingerprint, reports } = translated;
      const { requestId, reply } = pending.add(rpcId);
      const urlId = looseLabel(request["elicitationId"]);
      if (urlId !== null) urls.set(urlId, requestId);
      const asked = [
        ...reports,
        { report: "elicitation", requestId, request, fingerprint } as const,
      ];
      if (when === "soon") held.push(...asked);
      else for (const each of asked) report(each);
      return reply.finally(() => {
        if (urlId !== null) urls.delete(urlId);
      });
    },
    complete: (params) => {
      const urlId = looseLabel(looseObject(params)?.["elicitationId"]);
      const requestId = urlId === null ? undefined : urls.get(urlId);
      // After an answer there is nothing left to do: the agent continues by itself.
      if (requestId !== undefined) report({ report: "completed", requestId });
    },
    answer: (requestId, answer) => pending.answer(requestId, toResponse(answer)),
    withdraw: (rpcId) => pending.withdraw(rpcId),
    begin: () => {
      const waiting = held;
      held = [];
      for (const each of waiting) report(each);
    },
    cancelAll: (options) => {
      held = [];
      pending.cancelAll(options);
    },
  };
}

function toResponse(answer: ElicitationAnswer): CreateElicitationResponse {
  switch (answer.action) {
    case "accept":
      return answer.content === undefined
        ? { action: "accept" }
        : { action: "accept", content: { ...answer.content } };
    case "decline":
    case "cancel":
      return { action: answer.action };
    default:
      return answer satisfies never;
  }
}

const CANCEL: CreateElicitationResponse = { action: "cancel" };
