import { z } from "zod";
import { defineTool, type Tool } from "../../../packages/server/src/doors/mcp/surface.ts";
import { PIXEL, SILENCE } from "./fixture-media.ts";
import { described, fixtureTool, simpleTool, textResult } from "./fixture-tool.ts";

const IMAGE = { type: "image", data: PIXEL, mimeType: "image/png" } as const;

/** Keywords that only JSON Schema has are metadata of the schema. */
const JSON_SCHEMA = z
  .object({
    name: z.string().optional(),
    address: z
      .looseObject({ street: z.string().optional(), city: z.string().optional() })
      .meta({ id: "address", $anchor: "addressDef" })
      .optional(),
    contactMethod: z.enum(["phone", "email"]).optional(),
    phone: z.string().optional(),
    email: z.string().optional(),
  })
  .meta({
    allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
    if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
    // oxlint-disable-next-line unicorn/no-thenable -- It is a keyword of JSON Schema.
    then: { required: ["phone"] },
    else: { required: ["email"] },
  });

export const contentTools: readonly Tool[] = [
  fixtureTool("greet", { name: z.string() }, ({ name }) => textResult(`Hello, ${name}!`)),
  simpleTool("test_simple_text", () => textResult("Plain text.")),
  simpleTool("test_image_content", () => ({ content: [IMAGE] })),
  simpleTool("test_audio_content", () => ({
    content: [{ type: "audio", data: SILENCE, mimeType: "audio/wav" }],
  })),
  simpleTool("test_embedded_resource", () => ({
    content: [
      {
        type: "resource",
        resource: { uri: "test://embedded-resource", mimeType: "text/plain", text: "Embedded." },
      },
    ],
  })),
  simpleTool("test_multiple_content_types", () => ({
    content: [
      { type: "text", text: "A picture and a resource:" },
      IMAGE,
      {
        type: "resource",
        resource: {
          uri: "test://mixed-content-resource",
          mimeType: "application/json",
          text: JSON.stringify({ kind: "mixed" }),
        },
      },
    ],
  })),
  simpleTool("test_error_handling", () => {
    throw new Error("This tool always fails.");
  }),
  defineTool({
    ...described("json_schema_2020_12_tool"),
    input: JSON_SCHEMA,
    call: async (args) => textResult(JSON.stringify(args)),
  }),

  simpleTool("test_tool_with_progress", async ({ context: { mcpReq } }) => {
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken !== undefined)
      for (const progress of [0, 50, 100])
        await mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken, progress, total: 100, message: `${progress} of 100` },
        });
    return textResult("All steps are done.");
  }),
  simpleTool("test_tool_with_logging", async ({ context: { mcpReq } }) => {
    for (const step of ["begins", "works", "ends"]) await mcpReq.log("info", `The tool ${step}.`);
    return textResult("It has logged three times.");
  }),
  simpleTool("test_logging_tool", async ({ context: { mcpReq } }) => {
    await mcpReq.log("info", "Only for clients that asked for logs.");
    return textResult("It has logged, if the client wants that.");
  }),
  simpleTool("test_streaming_elicitation", () => textResult("Nothing was asked meanwhile.")),
  /** Its result is sent when the client comes back for it. */
  simpleTool("test_reconnection", ({ context: { http } }) => {
    http?.closeSSE?.();
    return textResult("The stream was cut, and this came afterwards.");
  }),
];
