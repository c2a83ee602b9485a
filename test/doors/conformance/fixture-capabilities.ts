import type { Server } from "@modelcontextprotocol/server";

/** What a server may offer besides tools, resources and prompts. The SDK then serves `logging/setLevel`. */
export function prepareFixture(server: Server): void {
  server.registerCapabilities({ logging: {}, completions: {} });
  server.setRequestHandler("completion/complete", ({ params: { argument } }) => {
    const values = ["paris", "park", "party"].filter((value) => value.startsWith(argument.value));
    return { completion: { values, total: values.length, hasMore: false } };
  });
}
