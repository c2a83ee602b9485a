import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { needProc } from "../../../domain/testing/machine.ts";
import { createKeeper } from "./keeper.ts";
import type { KeeperReply } from "./keeper-protocol.ts";

beforeAll(needProc);

const OPTIONS = { rules: { hosts: null, local: [] }, environment: {}, apis: [], user: null };

/** A keeper with one open network. */
async function openOne() {
  const onDone = vi.fn<() => void>();
  const replied = Promise.withResolvers<KeeperReply>();
  const keeper = createKeeper({ reply: replied.resolve, onDone });
  keeper.obey({ do: "open", id: "one", options: OPTIONS });
  const reply = await replied.promise;
  if ("problem" in reply) throw new Error(reply.problem);
  const { folder } = reply.network;
  return { keeper, onDone, isOpen: () => existsSync(folder) };
}

describe("a kept network", () => {
  it("outlives the server until its agent has exited (D4)", async () => {
    const { keeper, onDone, isOpen } = await openOne();
    const agent = spawn("sleep", ["60"]);
    await once(agent, "spawn");
    keeper.obey({ do: "bind", id: "one", pid: agent.pid ?? 0 });
    keeper.loseServer();
    expect(isOpen()).toBe(true);
    expect(onDone).not.toHaveBeenCalled();
    agent.kill("SIGKILL");
    await expect.poll(isOpen, { timeout: 20_000 }).toBe(false);
    expect(onDone).toHaveBeenCalled();
  });

  it("is closed with the server if its agent has not started (D4)", async () => {
    const { keeper, onDone, isOpen } = await openOne();
    keeper.loseServer();
    expect(isOpen()).toBe(false);
    expect(onDone).toHaveBeenCalled();
  });

  it("is closed when the server says so, and the keeper stays", async () => {
    const { keeper, onDone, isOpen } = await openOne();
    keeper.obey({ do: "close", id: "one" });
    expect(isOpen()).toBe(false);
    expect(onDone).not.toHaveBeenCalled();
  });
});
