import { inputRequired, type GetPromptResult } from "@modelcontextprotocol/server";
import type { Prompt } from "../../../packages/server/src/doors/mcp/surface.ts";
import { PIXEL } from "./fixture-media.ts";
import { askText, textIn } from "./input-requests.ts";

export const fixturePrompts: readonly Prompt[] = [
  {
    ...described("test_simple_prompt"),
    get: async () => said({ type: "text", text: "Say hello." }),
  },
  {
    ...described("test_prompt_with_arguments", "arg1", "arg2"),
    get: async ({ arg1, arg2 }) => said({ type: "text", text: `First ${arg1}, then ${arg2}.` }),
  },
  {
    ...described("test_prompt_with_embedded_resource", "resourceUri"),
    get: async ({ resourceUri: uri = "" }) =>
      said(
        { type: "resource", resource: { uri, mimeType: "text/plain", text: "Embedded." } },
        { type: "text", text: "Read it." },
      ),
  },
  {
    ...described("test_prompt_with_image"),
    get: async () =>
      said(
        { type: "image", data: PIXEL, mimeType: "image/png" },
        { type: "text", text: "Describe it." },
      ),
  },
  {
    ...described("test_input_required_result_prompt"),
    async get(_args, call) {
      const context = textIn(call, "user_context", "context");
      return context === null
        ? inputRequired({ inputRequests: { user_context: askText("context", "About what?") } })
        : said({ type: "text", text: `It is about ${context}.` });
    },
  },
];

function described(name: string, ...args: readonly string[]) {
  return {
    name,
    title: name,
    description: `The fixture ${name}`,
    arguments: args.map((arg) => ({ name: arg, description: `the value ${arg}`, required: true })),
  };
}

type Content = GetPromptResult["messages"][number]["content"];

function said(...contents: readonly Content[]): GetPromptResult {
  return { messages: contents.map((content) => ({ role: "user", content })) };
}
