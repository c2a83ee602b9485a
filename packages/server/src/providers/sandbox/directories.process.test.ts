import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { promptOf } from "../testing/agent-rig.ts";
import { mcp, shell } from "../testing/script.ts";
import { openSandboxWorld, needSandbox, type SandboxWorld } from "./testing/sandbox-world.ts";

beforeAll(needSandbox);

function opened(folder: string) {
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  onTestFinished(() => closeSync(descriptor));
  return { path: folder, descriptor };
}

/** The output of these commands, run by an agent with further directories. */
async function runIn(
  { repo, start }: SandboxWorld,
  directories: readonly ReturnType<typeof opened>[],
  command: string,
): Promise<string> {
  const { rig } = await start();
  const agent = await rig.start({
    workspace: opened(repo),
    connections: { mcpServers: {}, directories },
  });
  await agent.prompt(promptOf(shell(command)));
  await agent.stop();
  return rig.text();
}

describe("further directories of an agent in a sandbox", () => {
  it("are seen and written like the repository; their neighbours are not seen (D3)", async () => {
    const world = await openSandboxWorld();
    const { root, otherRepo } = world;
    const [docs, more] = [path.join(root, "docs"), path.join(root, "deep", "more")];
    for (const folder of [docs, more]) mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(docs, "there"), "before\n");
    const output = await runIn(
      world,
      [opened(docs), opened(more)],
      `pwd; cat ${docs}/there; echo after > ${docs}/made; echo two > ${more}/made; ls ${root}; ls ${otherRepo}`,
    );
    expect(output).toContain(`${world.repo}\nbefore\ndeep\ndocs\nrepo\n`);
    expect(output).toContain("No such file or directory");
    expect(readFileSync(path.join(docs, "made"), "utf8")).toBe("after\n");
    expect(readFileSync(path.join(more, "made"), "utf8")).toBe("two\n");
  });

  it("are the folders that were verified, even if others have their paths now (D3)", async () => {
    const world = await openSandboxWorld();
    const docs = path.join(world.root, "docs");
    mkdirSync(docs);
    writeFileSync(path.join(docs, "which"), "verified\n");
    const folder = opened(docs);
    renameSync(docs, `${docs}-moved`);
    mkdirSync(docs);
    writeFileSync(path.join(docs, "which"), "another\n");
    expect(await runIn(world, [folder], `cat ${docs}/which`)).toBe("verified\n");
  });
});

describe("Holdfast's tools for an agent in a sandbox", () => {
  it("are reached by their address, while the rest of the machine is not (D3)", async () => {
    const world = await openSandboxWorld();
    const calls: string[] = [];
    const server = createServer((request, response) => {
      calls.push(`${request.method} ${request.url} ${request.headers.authorization ?? "-"}`);
      request.resume();
      const result = { content: [{ type: "text", text: "from the server" }] };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const api = `http://127.0.0.1:${port}/api/agent/sessions/s`;
    const tools = {
      name: "holdfast",
      command: process.execPath,
      args: [],
      env: { API: api },
      apiVariable: "API",
      address: { url: `${api}/mcp`, headers: { Authorization: "Bearer canary-4af1" } },
    };
    const { rig, agent } = await world.start({
      capabilities: { mcpHttp: true },
      provider: { toolsFor: async () => [tools] },
    });
    await agent.prompt(promptOf(mcp("set_phase", {})));
    const tried = `fetch(process.argv[1]).then((r) => r.status, () => "refused").then(console.log)`;
    const probe = (url: string): string => `${process.execPath} -e '${tried}' ${url}`;
    await agent.prompt(
      promptOf(
        shell(
          [probe(api), probe("http://127.0.0.1:47047/api/agent/sessions/other/mcp")].join("; "),
        ),
      ),
    );
    expect(rig.text()).toContain("mcp: from the server");
    expect(rig.text()).toMatch(/refused\n403\n$/u);
    expect([...new Set(calls)]).toEqual(["POST /api/agent/sessions/s/mcp Bearer canary-4af1"]);
    await agent.stop();
  });
});
