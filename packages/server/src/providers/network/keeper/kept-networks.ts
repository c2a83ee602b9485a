import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { Socket } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";
import { sourceOptions } from "../../node-options.ts";
import { insideUrl, type AgentNetwork, type AgentNetworkOptions } from "../agent-network.ts";
import type { KeeperOrder, KeeperReply } from "./keeper-protocol.ts";

/** Networks of agents in a process of their own, so that they outlive the server with the agents. */
export interface KeptNetworks {
  open(options: AgentNetworkOptions): Promise<AgentNetwork>;
}

const PROGRAM = path.join(
  import.meta.dirname,
  `keeper-program${path.extname(import.meta.filename)}`,
);

export function openKeptNetworks(): KeptNetworks {
  let keeper: Keeper | null = null;
  return {
    open: async ({ apis, ...options }) => {
      const id = randomUUID();
      const order = { do: "open", id, options: { ...options, apis: apis.map(String) } } as const;
      const current = keeper === null || keeper.isGone ? startKeeper() : keeper;
      let reply = await current.ask(order);
      // It may have ended because nobody had needed it for a while.
      keeper = current.isGone ? startKeeper() : current;
      if (keeper !== current) reply = await keeper.ask(order);
      const own = keeper;
      if ("problem" in reply) throw new Error(reply.problem);
      return {
        ...reply.network,
        inside: insideUrl,
        outlives: true,
        bind: (pid) => own.order({ do: "bind", id, pid }),
        close: () => own.order({ do: "close", id }),
      };
    },
  };
}

interface Keeper {
  readonly isGone: boolean;
  order(order: KeeperOrder): void;
  ask(order: Extract<KeeperOrder, { do: "open" }>): Promise<KeeperReply>;
}

function startKeeper(): Keeper {
  const child = spawn(process.execPath, [...sourceOptions(), PROGRAM], {
    detached: true,
    cwd: "/",
    stdio: ["pipe", "pipe", "ignore"],
  });
  const waiting = new Map<string, (reply: KeeperReply) => void>();
  const answer = (reply: KeeperReply): void => {
    waiting.get(reply.id)?.(reply);
    waiting.delete(reply.id);
    if (waiting.size === 0) letGo(child);
  };
  child.stdin.on("error", () => {});
  child.once("error", () => {});
  child.once("close", () => {
    const problem = "the process that keeps networks open has ended";
    for (const id of waiting.keys()) answer({ id, problem });
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own program wrote it
    answer(JSON.parse(line) as KeeperReply);
  });
  letGo(child);
  const order = (each: KeeperOrder): void => void child.stdin.write(`${JSON.stringify(each)}\n`);
  return {
    get isGone() {
      return child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
    },
    order,
    ask: (each) =>
      new Promise((resolve) => {
        waiting.set(each.id, resolve);
        holdOn(child);
        order(each);
      }),
  };
}

/** This process may exit before it. */
function letGo(child: ChildProcess): void {
  child.unref();
  for (const stream of [child.stdin, child.stdout]) if (stream instanceof Socket) stream.unref();
}

/** This process waits for its reply. */
function holdOn(child: ChildProcess): void {
  child.ref();
  for (const stream of [child.stdin, child.stdout]) if (stream instanceof Socket) stream.ref();
}
