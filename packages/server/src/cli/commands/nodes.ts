import type { Node } from "@holdfast/protocol";
import { setTimeout as pause } from "node:timers/promises";
import type { CommonFlags } from "../gateway/find-server.ts";
import { withGateway } from "../gateway/open-gateway.ts";
import type { SessionGateway } from "../gateway/session-gateway.ts";
import { CommandFailure } from "../exit.ts";
import { openPrinter } from "../terminal/printer.ts";
import { commandLine } from "../terminal/invocation.ts";

export async function listNodes(flags: CommonFlags): Promise<void> {
  const printer = openPrinter(flags);
  const { nodes } = await withGateway(flags, "read", (gateway) => gateway.nodes.list());
  if (flags.json === true) return printer.json({ nodes });
  if (nodes.length === 0)
    return printer.note(`No server is running. Start one with: ${commandLine("up")}`);
  return printer.table(
    nodes.map((node) => [
      node.name,
      node.id,
      stateOf(node),
      `${node.busy}/${node.capacity}`,
      node.labels.join(","),
      node.version,
      printer.ago(node.startedAt),
    ]),
    [
      { title: "NAME", flexible: true },
      "ID",
      { title: "STATE", style: (text, paint) => (text === "dead" ? paint.red(text) : text) },
      "BUSY",
      { title: "LABELS", flexible: true },
      "VERSION",
      "STARTED",
    ],
  );
}

function stateOf({ alive, draining, drained }: Node): string {
  if (!alive) return "dead";
  if (drained) return "drained";
  return draining ? "draining" : "alive";
}

export interface DrainFlags extends CommonFlags {
  readonly undo?: true;
  readonly wait?: true;
  /** In seconds. */
  readonly timeout: number;
}

export async function drainNode(name: string, flags: DrainFlags): Promise<void> {
  const printer = openPrinter(flags);
  const draining = flags.undo !== true;
  const drain = async (gateway: SessionGateway): Promise<Node> => {
    const node = await gateway.nodes.drain(name, { draining });
    if (draining && !(await hasOthers(gateway, node)))
      printer.note("No other node accepts work. Messages wait until one does.");
    return draining && flags.wait === true
      ? untilDrained(gateway, node, flags.timeout * 1_000)
      : node;
  };
  const node = await withGateway(flags, "change", drain);
  printer.result(node, sentence(node));
}

function sentence(node: Node): string {
  if (!node.alive) return `${node.name} has ended.`;
  if (node.drained) return `${node.name} is drained.`;
  return node.draining ? `${node.name} is draining.` : `${node.name} accepts work again.`;
}

async function hasOthers(gateway: SessionGateway, { id }: Node): Promise<boolean> {
  const { nodes } = await gateway.nodes.list();
  return nodes.some((node) => node.id !== id && node.alive && !node.draining);
}

const POLL_MS = 200;

async function untilDrained(gateway: SessionGateway, node: Node, withinMs: number): Promise<Node> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const { nodes } = await gateway.nodes.list();
    const current = nodes.find(({ id }) => id === node.id);
    // A node that has stopped is not listed.
    if (current === undefined) return { ...node, alive: false, busy: 0 };
    if (current.drained || !current.alive) return current;
    if (!current.draining)
      throw new CommandFailure(`${current.name} accepts work again: the drain was undone.`);
    if (performance.now() >= deadline) throw new CommandFailure(notInTime(current));
    await pause(POLL_MS);
  }
}

function notInTime({ name, busy }: Node): string {
  const work = busy === 1 ? "1 agent is" : `${busy} agents are`;
  return `${name} is not drained yet: ${work} still working. It continues to drain.`;
}
