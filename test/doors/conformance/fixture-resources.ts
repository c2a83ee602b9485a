import type { ReadResourceResult } from "@modelcontextprotocol/server";
import type { Resources } from "../../../packages/server/src/doors/mcp/surface.ts";
import { PIXEL } from "./fixture-media.ts";

type Contents = ReadResourceResult["contents"][number];

const FIXED: readonly Contents[] = [
  { uri: "test://static-text", mimeType: "text/plain", text: "A text that stays." },
  { uri: "test://static-binary", mimeType: "image/png", blob: PIXEL },
  { uri: "test://watched-resource", mimeType: "text/plain", text: "A text to watch." },
];

const TEMPLATE = /^test:\/\/template\/(?<id>[^/]+)\/data$/u;

export const fixtureResources: Resources = {
  templates: [
    {
      uriTemplate: "test://template/{id}/data",
      name: "template",
      mimeType: "application/json",
    },
  ],
  list: async () => ({
    resources: FIXED.map(({ uri, mimeType }) => ({
      uri,
      name: uri.slice("test://".length),
      ...(mimeType !== undefined && { mimeType }),
    })),
  }),
  async read(uri) {
    const fixed = FIXED.find((one) => one.uri === uri);
    if (fixed !== undefined) return { contents: [fixed] };
    const id = TEMPLATE.exec(uri)?.groups?.["id"];
    if (id === undefined) return null;
    return { contents: [{ uri, mimeType: "application/json", text: JSON.stringify({ id }) }] };
  },
  // Nothing changes.
  watch: async () => {},
};
