import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { NetworkPolicy } from "../network/network-policy.ts";
import { findProgram } from "../acp/process/find-program.ts";
import { AgentFault } from "../provider.ts";
import { openSandbox, type Sandbox, type SandboxOptions } from "./sandbox.ts";
import type { SandboxedAgent } from "./plan-mounts.ts";
import { needSandbox } from "./testing/sandbox-world.ts";

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-sandbox-test-")));
  const made = folder;
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
});

const open = (options: Partial<SandboxOptions>): Promise<Sandbox> =>
  openSandbox({
    mode: "auto",
    environment: process.env,
    dataFolder: path.join(folder, "data"),
    containments: ["marker"],
    ...options,
  });

const agent = (repo: string, network: NetworkPolicy = "open"): SandboxedAgent => ({
  workspace: { path: repo, descriptor: null },
  command: ["/bin/true"],
  environment: { PATH: "/usr/bin", HOME: "/home/somebody" },
  mounts: [],
  toolServers: [],
  network,
  given: {},
});

/** A bubblewrap that is found, and runs this script. */
function brokenBubblewrap(script: string): Partial<SandboxOptions> {
  const bin = path.join(folder, "bin");
  mkdirSync(bin);
  writeFileSync(path.join(bin, "bwrap"), `#!/bin/sh\n${script}\n`);
  chmodSync(path.join(bin, "bwrap"), 0o755);
  return { environment: { PATH: bin } };
}

describe("a sandbox that is not available", () => {
  it("is not tested and not used when it is turned off", async () => {
    const { state, madeWith, enclose } = await open({
      mode: "off",
      platform: "linux",
      containments: ["marker"],
    });
    expect([state, madeWith, await enclose(agent(folder))]).toMatchObject([
      {
        mode: "off",
        active: false,
        reason: "It is turned off: agents run with the rights of the server.",
      },
      null,
      { isBubblewrap: false, command: { program: "/bin/true", args: [] } },
    ]);
  });

  it.each<[string, () => Partial<SandboxOptions>, string]>([
    [
      "bubblewrap is not installed",
      () => ({ environment: { PATH: folder }, platform: "linux" }),
      "Bubblewrap is not installed: the program bwrap was not found (package bubblewrap).",
    ],
    [
      "the system is not Linux",
      () => ({ platform: "freebsd" }),
      "A sandbox needs Linux or macOS; this system is freebsd.",
    ],
    [
      "bubblewrap has no permission",
      () => ({
        ...brokenBubblewrap(
          'test "$1" = --version && echo bubblewrap 0.0.1 && exit 0; echo "bwrap: No permissions" >&2; exit 1',
        ),
        platform: "linux",
      }),
      "Bubblewrap does not work here: bwrap: No permissions",
    ],
    [
      "bubblewrap does not start",
      () => ({ ...brokenBubblewrap("exit 9"), platform: "linux" }),
      "Bubblewrap does not work here: Command failed: ",
    ],
  ])("is not used, or an error if required, when %s", async (_name, options, reason) => {
    const overrides = options();
    const auto = await open(overrides);
    expect(auto.state).toEqual({
      mode: "auto",
      active: false,
      reason: expect.stringContaining(reason),
    });
    expect(await auto.enclose(agent(folder))).toMatchObject({ isBubblewrap: false });
    for (const network of ["off", { hosts: ["example.com"] }] as const)
      await expect(auto.enclose(agent(folder, network))).rejects.toThrow(
        `The network of this agent is limited, and this cannot be enforced. There is no sandbox. ${auto.state.reason}`,
      );
    const required = await open({ ...overrides, mode: "required" });
    expect(required.state).toMatchObject({ mode: "required", active: false });
    await expect(required.enclose(agent(folder))).rejects.toThrow(AgentFault);
    await expect(required.enclose(agent(folder))).rejects.toThrow(reason);
  });
});

describe("a sandbox that works", () => {
  beforeAll(needSandbox);

  it("reports its state and its program", async () => {
    const { state, madeWith } = await open({});
    expect(state).toEqual({ mode: "auto", active: true, reason: null });
    expect(madeWith).toMatch(/^bubblewrap \d/u);
  });

  it("shares the network, and says why, where only a network of its own is forbidden", async () => {
    const real = findProgram("bwrap", process.env["PATH"]) ?? "";
    const script = `for each; do test "$each" = --unshare-net && echo "bwrap: loopback: not permitted" >&2 && exit 1; done; exec ${real} "$@"`;
    const bin = brokenBubblewrap(script).environment?.["PATH"];
    const environment = { ...process.env, PATH: bin };
    const why = "bwrap: loopback: not permitted";
    const auto = await open({ environment });
    expect([auto.state.active, auto.network]).toEqual([true, { kind: "shared", why }]);
    await expect(auto.enclose(agent(folder, "off"))).rejects.toThrow(
      `The network of this agent is limited, and this cannot be enforced. ${why}`,
    );
    const required = await open({ environment, mode: "required" });
    expect(required.state).toEqual({
      mode: "required",
      active: false,
      reason: "Bubblewrap does not work here: bwrap: loopback: not permitted",
    });
  });

  it("refuses a repository in which nothing could be hidden", async () => {
    const { enclose } = await open({});
    for (const place of ["/", path.join(folder, "data")])
      await expect(enclose(agent(place))).rejects.toThrow(
        `${place} cannot be a repository in a sandbox: nothing could be hidden there.`,
      );
  });
});
