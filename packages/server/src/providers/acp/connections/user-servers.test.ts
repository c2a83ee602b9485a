import { describe, expect, it } from "vitest";
import type { McpServers } from "../../../domain/mcp-server.ts";
import type { NetworkPolicy } from "../../network/network-policy.ts";
import { findUserServers, type FindUserServers } from "./user-servers.ts";

const ENVIRONMENT = { MY_TOKEN: "canary-token-1", OTHER: "canary-other-2", EMPTY: "" };

function find(own: McpServers, more: Partial<FindUserServers> = {}) {
  return findUserServers({
    configured: {},
    own,
    allowed: ["MY_TOKEN", "EMPTY"],
    environment: ENVIRONMENT,
    searchPath: process.env["PATH"],
    workspace: "/work/repo",
    network: "open",
    ...more,
  });
}

const http = (url: string, headersFrom: Record<string, string> = {}): McpServers => ({
  web: { type: "http", url, headers: { A: "b" }, headersFrom },
});
const program = (envFrom: Record<string, string> = {}, command = "/bin/sh"): McpServers => ({
  echo: { type: "stdio", command, args: ["-c", "true"], env: { A: "b" }, envFrom },
});

describe("MCP servers of the user", () => {
  it("get the values of allowed variables at the start (D3)", () => {
    expect(
      find({ ...program({ TOKEN: "MY_TOKEN" }), ...http("https://a.example/", { X: "MY_TOKEN" }) }),
    ).toEqual({
      servers: [
        {
          type: "stdio",
          name: "echo",
          command: "/bin/sh",
          args: ["-c", "true"],
          env: { A: "b", TOKEN: "canary-token-1" },
        },
        {
          type: "http",
          name: "web",
          url: "https://a.example/",
          headers: { A: "b", X: "canary-token-1" },
        },
      ],
      notices: [],
    });
  });

  it("are left out with a reason that names no value (D3)", () => {
    const reason = (own: McpServers, network: NetworkPolicy | null = "open") =>
      find(own, { network }).notices[0]?.replace(/^The MCP server \w+ is left out: /u, "");
    expect(reason(program({ TOKEN: "OTHER" }))).toBe(
      'the variable OTHER is not in "mcpVariables".',
    );
    expect(reason(program({ TOKEN: "EMPTY" }))).toBe(
      "the variable EMPTY is not set on this server.",
    );
    expect(reason(program({}, "no-such-program"))).toBe(
      "the program no-such-program was not found.",
    );
    expect(reason(program({}, "./tools/no"))).toBe("the program ./tools/no was not found.");
    expect(reason(http("https://a.example/"), "off")).toBe("the network of this agent is off.");
    const hosts = { hosts: ["b.example:443"] };
    expect(reason(http("https://a.example/"), hosts)).toBe(
      "the network of this agent does not allow a.example.",
    );
    expect(reason(http("https://b.example/"), hosts)).toBeUndefined();
    expect(reason(http("http://127.0.0.1:80/"))).toContain("from 1024 on");
    expect(reason(http("http://127.0.0.1:8080/"))).toBeUndefined();
    expect(reason(http("http://127.0.0.1:80/"), null)).toBeUndefined();
  });

  it("of a provider may use every variable; those of the session replace them by name (D3)", () => {
    const configured = program({ TOKEN: "OTHER" });
    expect(find({}, { configured }).servers).toMatchObject([{ env: { TOKEN: "canary-other-2" } }]);
    expect(find(program(), { configured }).servers).toMatchObject([{ env: { A: "b" } }]);
    expect(find(program({ TOKEN: "OTHER" }), { configured }).servers).toEqual([]);
  });
});
