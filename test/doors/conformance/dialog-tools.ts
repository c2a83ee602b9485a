import { acceptedContent, inputRequired } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Call, Tool } from "../../../packages/server/src/doors/mcp/surface.ts";
import { fixtureTool, simpleTool, textResult } from "./fixture-tool.ts";
import { askModel, saidIn, type Form } from "./input-requests.ts";

/** Tools that ask during a call. Clients of the versions before 2026 get a request from the SDK for what is required. */
export const dialogTools: readonly Tool[] = [
  fixtureTool("test_sampling", { prompt: z.string() }, ({ prompt }, call) => {
    const said = saidIn(call, "model");
    return said === null
      ? inputRequired({ inputRequests: { model: askModel(prompt) } })
      : textResult(`The model said ${said}.`);
  }),
  simpleTool("test_missing_capability", () =>
    inputRequired({ inputRequests: { model: askModel("Are you there?") } }),
  ),
  fixtureTool("test_elicitation", { message: z.string() }, ({ message }, call) =>
    fillIn(call, message, {
      type: "object",
      properties: { response: { type: "string", description: "what the person says" } },
      required: ["response"],
    }),
  ),
  simpleTool("test_elicitation_sep1034_defaults", (call) =>
    fillIn(call, "Check the values that are filled in.", {
      type: "object",
      properties: {
        name: { type: "string", default: "John Doe" },
        age: { type: "integer", default: 30 },
        score: { type: "number", default: 95.5 },
        status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
        verified: { type: "boolean", default: true },
      },
      required: [],
    }),
  ),
  simpleTool("test_elicitation_sep1330_enums", (call) =>
    fillIn(call, "Choose.", {
      type: "object",
      properties: {
        untitledSingle: { type: "string", enum: OPTIONS },
        titledSingle: { type: "string", oneOf: titled("Option") },
        legacyEnum: {
          type: "string",
          enum: ["opt1", "opt2", "opt3"],
          enumNames: ["Option 1", "Option 2", "Option 3"],
        },
        untitledMulti: { ...SEVERAL, items: { type: "string", enum: OPTIONS } },
        titledMulti: { ...SEVERAL, items: { anyOf: titled("Choice") } },
      },
      required: [],
    }),
  ),
];

const OPTIONS = ["option1", "option2", "option3"];
const SEVERAL = { type: "array", minItems: 1, maxItems: 3 } as const;

function titled(word: string): { const: string; title: string }[] {
  return [1, 2, 3].map((number) => ({ const: `value${number}`, title: `${word} ${number}` }));
}

function fillIn({ context }: Call, message: string, requestedSchema: Form) {
  const responses = context.mcpReq.inputResponses;
  return responses?.["form"] === undefined
    ? inputRequired({ inputRequests: { form: inputRequired.elicit({ message, requestedSchema }) } })
    : textResult(JSON.stringify(acceptedContent(responses, "form") ?? "not accepted"));
}
