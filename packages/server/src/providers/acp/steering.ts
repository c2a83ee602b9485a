import type { MessageContent } from "../../domain/message.ts";
import type { SteerReply } from "../provider.ts";
import type { AcpLink } from "./acp-link.ts";
import type { OpenedSession } from "./open-session.ts";
import { promptBlocks } from "./prompt-blocks.ts";
import { looseObject } from "./wire/loose.ts";
import { PeerFault, RpcError } from "./wire/rpc-error.ts";

const METHOD = "_session/steering";
/** Names our message, so that a later server knows whether the agent has got it. */
const MESSAGE = "holdfast/messageId";
/** Agents reply at once. One that does not may still have taken the message. */
const REPLY_MS = 10_000;

/**
 * Gives the prompt at work another message, by the extension that `claude-agent-acp` and `codex-acp` share. With
 * `promptRequired` an agent whose prompt has just ended leaves the message to us instead of starting a turn of its own.
 */
export async function steerPrompt(
  link: AcpLink,
  { sessionId, capabilities }: OpenedSession,
  { parts, messageId }: { readonly parts: readonly MessageContent[]; readonly messageId: string },
): Promise<SteerReply> {
  const prompt = [...promptBlocks(parts, capabilities)];
  const _meta = { steering: { idleBehavior: "promptRequired" }, [MESSAGE]: messageId };
  try {
    const params = { sessionId, prompt, _meta };
    const given = link.peer.adopt(({ method, params: earlier }) => {
      const meta = looseObject(looseObject(earlier)?.["_meta"]);
      return method === METHOD && meta?.[MESSAGE] === messageId;
    });
    const result = await (given ?? link.peer.request(METHOD, params, { timeoutMs: REPLY_MS }));
    return replyOf(looseObject(result)?.["outcome"]);
  } catch (error) {
    if (error instanceof RpcError) return "refused";
    // Nothing was sent to an agent that does not read.
    return error instanceof PeerFault && error.code === "overflow" ? "refused" : "unknown";
  }
}

function replyOf(outcome: unknown): SteerReply {
  switch (outcome) {
    case "injected":
    // An older agent started a turn with it.
    case "startedNewTurn":
      return "injected";
    case "promptRequired":
    case "failed":
      return "refused";
    default:
      return "unknown";
  }
}
