import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, say, script } from "../../../packages/server/src/providers/testing/script.ts";
import { INSPECTOR, needClient } from "../../agents/clients.ts";
import { BINARY } from "../../e2e/holdfast-process.ts";
import { openMcpWorld, type McpWorld } from "./mcp-world.ts";

const run = promisify(execFile);
let world: McpWorld;
let program: string;

beforeAll(async () => {
  program = needClient(INSPECTOR);
  world = await openMcpWorld();
});
afterAll(async () => {
  await world?.end();
});

type Target = "HTTP" | "stdio";

async function inspect(target: Target, ...args: readonly string[]): Promise<unknown> {
  const { url, token, data } = world.server();
  const header = ["--transport", "http", "--header", `Authorization: Bearer ${token}`];
  const server =
    target === "HTTP"
      ? [`${url}/mcp`, ...header]
      : [process.execPath, BINARY, "mcp", "--data", data];
  const { stdout } = await run(process.execPath, [program, "--cli", ...server, ...args]);
  return JSON.parse(stdout);
}

interface Called {
  readonly isError?: boolean;
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly content: readonly { readonly text?: string }[];
}

async function call(target: Target, name: string, args: Readonly<Record<string, unknown>> = {}) {
  const given = Object.entries(args).flatMap(([key, value]) => [
    "--tool-arg",
    `${key}=${String(value)}`,
  ]);
  const tool = ["--method", "tools/call", "--tool-name", name];
  const called = (await inspect(target, ...tool, ...given)) as Called;
  expect([name, called.isError ?? false, called.content.length]).toEqual([name, false, 1]);
  return called.structuredContent ?? {};
}

describe.each(["HTTP", "stdio"] as const)(
  "the command line of the MCP Inspector over %s",
  (target) => {
    it("lists every tool, without errors in their schemas (D6)", async () => {
      const { tools } = (await inspect(target, "--method", "tools/list", "--strict")) as {
        readonly tools: readonly { readonly name: string }[];
      };
      expect(tools.map(({ name }) => name)).toHaveLength(14);
    });

    it("calls every tool (D6)", async () => {
      const at = (name: string, args?: Readonly<Record<string, unknown>>) =>
        call(target, name, args);
      await at("list_agents");
      await at("list_repositories");
      const message = script(ask({ id: "t1", title: "Write it" }), say("written"));
      const { id: session } = await at("create_session", { title: "inspected", message });
      expect(await at("wait", { session })).toMatchObject({ status: "suspended" });
      await at("list_questions");
      await at("answer", { session, answer: "allow" });
      expect(await at("wait", { session })).toMatchObject({ status: "completed" });
      expect(await at("send_message", { session, text: "Hello" })).toMatchObject({
        answer: "echo: Hello",
      });
      await at("set_phase", { session, phase: "planning" });
      await at("should_resume", { session });
      await at("get_session", { session });
      await at("read_history", { session });
      await at("cancel", { session });
      await at("list_sessions", { limit: 5 });
      expect(await at("search_sessions", { query: "inspected" })).toMatchObject({
        sessions: expect.arrayContaining([expect.objectContaining({ id: session })]),
      });
    });

    it("lists and reads resources and prompts (D6)", async () => {
      const { resources } = (await inspect(target, "--method", "resources/list")) as {
        readonly resources: readonly { readonly uri: string }[];
      };
      const uri = resources[0]?.uri ?? "";
      const read = await inspect(target, "--method", "resources/read", "--uri", uri);
      expect(JSON.stringify(read)).toContain("# inspected");
      const prompt = ["--prompt-name", "delegate", "--prompt-args", "task=Tidy up"];
      const got = await inspect(target, "--method", "prompts/get", ...prompt);
      expect(JSON.stringify(got)).toContain("Tidy up");
    });
  },
);
