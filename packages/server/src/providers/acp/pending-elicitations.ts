import type { CreateElicitationResponse } from "@agentclientprotocol/sdk";
import type { ElicitationAnswer } from "../../domain/elicitation/check-answer.ts";
import { separateSecrets } from "../../domain/elicitation/secret-fields.ts";
import type { AgentReport, ElicitationRequest } from "../provider.ts";
import type { Asking } from "./asking.ts";
import { PendingRequests } from "./pending-requests.ts";
import type { Refusals } from "./refusals.ts";
import type { Translator } from "./translate/translate.ts";
import { looseLabel, looseObject } from "./wire/loose.ts";
import type { RequestId } from "./wire/parse-frame.ts";
import { RPC_CODES, RpcError } from "./wire/rpc-error.ts";
import { SecretResult } from "./wire/secret-result.ts";

/** The elicitations of an agent that have no answer yet. */
export interface PendingElicitations {
  /** Handles an `elicitation/create`. */
  create(params: unknown, rpcId: RequestId): Promise<ElicitationReply>;
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

/** With a secret if the person gave one. */
type ElicitationReply = CreateElicitationResponse | SecretResult;

export function createPendingElicitations({
  translator,
  refusals,
  asking,
  newRequestId,
  report,
  onSecret,
}: {
  readonly translator: Translator;
  readonly refusals: Refusals;
  readonly asking: () => Asking;
  readonly newRequestId: () => string;
  readonly report: (report: AgentReport) => void;
  /** The agent is about to get this secret of a person. */
  readonly onSecret: (secret: string) => void;
}): PendingElicitations {
  const pending = new PendingRequests<ElicitationReply>({
    cancelled: CANCEL,
    asked: "asked for input",
    newId: newRequestId,
    report,
  });
  const requests = new Map<string, ElicitationRequest>();
  /** The open requests by the agent's own IDs of URLs. */
  const urls = new Map<string, string>();
  /** The titles of pages that a person opened, by the same IDs, until the agent says that the person has finished. */
  const opened = new Map<string, string>();
  let held: AgentReport[] = [];

  const noteOpened = ({ elicitationId, title }: ElicitationRequest): void => {
    const urlId = looseLabel(elicitationId);
    if (urlId === null) return;
    opened.set(urlId, title);
    const [oldest] = opened.keys();
    if (opened.size > MAX_OPENED && oldest !== undefined) opened.delete(oldest);
  };

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
      requests.set(requestId, request);
      const urlId = looseLabel(request["elicitationId"]);
      if (urlId !== null) urls.set(urlId, requestId);
      const asked = [
        ...reports,
        { report: "elicitation", requestId, request, fingerprint } as const,
      ];
      if (when === "soon") held.push(...asked);
      else for (const each of asked) report(each);
      return reply.finally(() => {
        requests.delete(requestId);
        if (urlId !== null) urls.delete(urlId);
      });
    },
    complete: (params) => {
      const urlId = looseLabel(looseObject(params)?.["elicitationId"]);
      const requestId = urlId === null ? undefined : urls.get(urlId);
      if (requestId !== undefined) return report({ report: "completed", requestId });
      // After an answer the agent continues by itself.
      const title = urlId === null ? undefined : opened.get(urlId);
      if (urlId === null || title === undefined) return;
      opened.delete(urlId);
      const text = `The agent says that this page is finished: ${title}`;
      for (const each of translator.notice("elicitation_completed", text, "info")) report(each);
    },
    answer: (requestId, answer) => {
      const request = requests.get(requestId);
      if (request !== undefined && answer.action === "accept") noteOpened(request);
      const { stored, secrets } =
        request === undefined
          ? { stored: answer, secrets: null }
          : separateSecrets(request, answer);
      if (secrets === null) return pending.answer(requestId, toResponse(answer));
      for (const secret of Object.values(secrets).flat())
        if (typeof secret === "string" || typeof secret === "number") onSecret(String(secret));
      return pending.answer(requestId, new SecretResult(toResponse(answer), toResponse(stored)));
    },
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

const MAX_OPENED = 100;

const CANCEL: CreateElicitationResponse = { action: "cancel" };
