import {
  acceptedContent,
  inputRequired,
  inputResponse,
  type ElicitRequestFormParams,
  type InputRequest,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Call } from "../../../packages/server/src/doors/mcp/surface.ts";

export type Form = ElicitRequestFormParams["requestedSchema"];

/** Asks a person for one text, by the name of its field. */
export function askText(field: string, message: string): InputRequest {
  return inputRequired.elicit({
    message,
    requestedSchema: {
      type: "object",
      properties: { [field]: { type: "string" } },
      required: [field],
    },
  });
}

export function askYesOrNo(message: string): InputRequest {
  const properties = { ok: { type: "boolean" } } as const;
  return inputRequired.elicit({
    message,
    requestedSchema: { type: "object", properties, required: ["ok"] },
  });
}

export function askModel(text: string): InputRequest {
  return inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text } }],
    maxTokens: 100,
  });
}

/** The text that a person entered in the field; null without a valid answer. */
export function textIn({ context }: Call, key: string, field: string): string | null {
  const schema = z.record(z.string(), z.unknown());
  const given = acceptedContent(context.mcpReq.inputResponses, key, schema)?.[field];
  return typeof given === "string" ? given : null;
}

export function hasAccepted({ context }: Call, key: string): boolean {
  return acceptedContent(context.mcpReq.inputResponses, key) !== undefined;
}

/** What the model of the client said; null if it was not asked. */
export function saidIn({ context }: Call, key: string): string | null {
  const response = inputResponse(context.mcpReq.inputResponses, key);
  return response.kind === "sampling" ? JSON.stringify(response.result.content) : null;
}

/** The folders of the client; null if it was not asked. */
export function rootsIn({ context }: Call, key: string): readonly string[] | null {
  const response = inputResponse(context.mcpReq.inputResponses, key);
  return response.kind === "roots" ? response.roots.map(({ uri }) => uri) : null;
}
