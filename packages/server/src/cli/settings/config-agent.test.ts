import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readConfigFile } from "./config-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "holdfast-config-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(text: string): void {
  writeFileSync(path.join(folder, "holdfast.config.json"), text);
}

describe("an agent in the config file", () => {
  it("has MCP servers of a provider, complete with what is not written (D3)", () => {
    const servers = {
      notes: { command: "notes", env: { A: "b" }, envFrom: { TOKEN: "NOTES" } },
      docs: {
        type: "http",
        url: "https://example.com/mcp",
        headers: { Authorization: "Bearer x" },
      },
    };
    const agent = { type: "acp", mcpServers: servers };
    write(JSON.stringify({ providers: { gemini: agent }, mcpVariables: ["NOTES"] }));
    const { agents, mcpVariables } = readConfigFile(folder);
    expect(mcpVariables).toEqual(["NOTES"]);
    expect(agents.get("gemini")?.mcpServers).toEqual({
      notes: { ...servers.notes, type: "stdio", args: [] },
      docs: { ...servers.docs, headersFrom: {} },
    });
  });

  it.each([
    [
      '{"providers": {"a": {"type": "acp", "command": ["a"],\n"protocol": "2"}}}',
      'line 2: providers.a.protocol: must be 1 or 2 or "auto".',
    ],
    [
      '{"providers": {\n"mine": {"type": "acp", "command": []}}}',
      "line 2: providers.mine.command: must name a program.",
    ],
    [
      '{"providers": {"gemini": {"type": "acp",\n"mcpServers": {\n"a_b": {"command": "c"}}}}}',
      "line 3: providers.gemini.mcpServers.a_b: must begin with a letter and have at most 32 letters, digits and hyphens.",
    ],
    [
      '{"providers": {"gemini": {"type": "acp",\n"mcpServers": {\n"a": {"type": "http", "url": "x"}}}}}',
      "line 3: providers.gemini.mcpServers.a.url: must be an http or https URL.",
    ],
    [
      '{"mcpVariables": [\n"A-B"]}',
      "line 2: mcpVariables.0: a variable's name has letters, digits and underscores.",
    ],
  ])("refuses %s with the line and the reason (D3)", (text, complaint) => {
    write(text);
    expect(() => readConfigFile(folder)).toThrow(complaint);
  });
});
