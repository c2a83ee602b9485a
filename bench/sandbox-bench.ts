import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createAcpProvider } from "../packages/server/src/providers/acp/acp-provider.ts";
import { spawnAgent } from "../packages/server/src/providers/acp/process/spawn-agent.ts";
import { demoDefinition } from "../packages/server/src/providers/demo/demo-definition.ts";
import type { Workspace } from "../packages/server/src/providers/provider.ts";
import { openSandbox, type Sandbox } from "../packages/server/src/providers/sandbox/sandbox.ts";
import { figuresOf, type Figures } from "./measure.ts";
import type { Row } from "./report.ts";

/** Compares starts with and without the sandbox, alternately. Null without a sandbox. */
export async function benchSandbox({ repeat }: { repeat: number }): Promise<readonly Row[] | null> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-bench-")));
  const data = path.join(folder, "data");
  const repo = path.join(folder, "repo");
  for (const one of [data, repo]) mkdirSync(one);
  const descriptor = openSync(repo, constants.O_RDONLY | constants.O_DIRECTORY);
  const workspace = { path: repo, descriptor };
  try {
    const sandbox = await openSandbox({ mode: "auto", environment: process.env, dataFolder: data });
    if (!sandbox.state.active) {
      console.log(`No sandbox: ${sandbox.state.reason}\n`);
      return null;
    }
    const program = await inTurns(repeat, (isInside) =>
      runNothing(workspace, isInside ? sandbox : null),
    );
    const agent = await inTurns(repeat, (isInside) =>
      startDemo(workspace, { sandbox: isInside ? sandbox : null, data }),
    );
    return [
      { name: "a program that does nothing, to its end", ...program, goal: null },
      { name: "the demo agent, until it takes a prompt", ...agent, goal: null },
    ];
  } finally {
    closeSync(descriptor);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Does not count the first two of each. */
async function inTurns(
  repeat: number,
  timed: (isInside: boolean) => Promise<number>,
): Promise<{ readonly holdfast: Figures; readonly raw: Figures }> {
  const [inside, without]: [number[], number[]] = [[], []];
  for (let index = -2; index < repeat; index += 1) {
    const [one, other] = [await timed(true), await timed(false)];
    if (index < 0) continue;
    inside.push(one);
    without.push(other);
  }
  return { holdfast: figuresOf(inside), raw: figuresOf(without) };
}

async function runNothing(workspace: Workspace, sandbox: Sandbox | null): Promise<number> {
  const startedMs = performance.now();
  const { PATH = "", HOME = "" } = process.env;
  const env = { PATH, HOME };
  const program = "/bin/true";
  const enclosure = await sandbox?.enclose({
    workspace,
    command: [program],
    environment: env,
    mounts: [],
    toolServers: [],
    // The relay of the network is measured apart: from sources it starts three times as slowly as in a build.
    network: "shared",
    given: {},
  });
  const started = await spawnAgent({
    command: enclosure?.command ?? { program, args: [], env },
    isEnclosed: enclosure?.isBubblewrap ?? false,
    workspace,
  });
  started.stdout.resume();
  await started.exited;
  enclosure?.close();
  return performance.now() - startedMs;
}

async function startDemo(
  workspace: Workspace,
  { sandbox, data }: { readonly sandbox: Sandbox | null; readonly data: string },
): Promise<number> {
  const provider = createAcpProvider({
    definition: {
      ...demoDefinition({ stateFolder: path.join(data, "demo") }),
      network: "shared",
    },
    owner: "bench",
    environment: process.env,
    journalFolder: null,
    clientVersion: "0.0.0",
    ...(sandbox !== null && { sandbox }),
  });
  const startedMs = performance.now();
  const agent = await provider.startAgent({
    sessionId: "bench",
    workspace,
    model: null,
    resume: null,
    signal: new AbortController().signal,
    onReport: () => undefined,
  });
  const tookMs = performance.now() - startedMs;
  await agent.stop({ urgent: true });
  return tookMs;
}
