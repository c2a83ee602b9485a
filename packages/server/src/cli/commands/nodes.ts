import type { Node } from "@holdfast/protocol";
import { setTimeout as pause } from "node:timers/promises";
import type { Desk } from "../desk/desk.ts";
import { CommandFailure } from "../exit.ts";
import { openPrinter } from "../terminal/printer.ts";
import { timeAgo } from "../terminal/time-ago.ts";
import { withDesk, type CommonFlags } from "./tracking.ts";

export async function listNodes(flags: CommonFlags): Promise<void> {
  const printer = openPrinter(flags);
  const { nodes } = await withDesk(flags, (desk) => desk.nodes.list(), { access: "read" });
  if (flags.json === true) return printer.json(nodes);
  if (nodes.length === 0) return printer.note("No server runs. Start one: holdfast serve");
  const now = Date.now();
  return printer.table(
    nodes.map((node) => [
      node.name,
      node.id,
      stateOf(node),
      `${node.busy}/${node.capacity}`,
      node.labels.join(","),
      node.version,
      printer.isForPeople ? timeAgo(node.startedAt, now) : node.startedAt,
    ]),
    [
      { title: "NAME", flexible: true },
      { title: "ID" },
      { title: "STATE", style: (text, paint) => (text === "dead" ? paint.red(text) : text) },
      { title: "BUSY" },
      { title: "LABELS", flexible: true },
      { title: "VERSION" },
      { title: "STARTED" },
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
  const drain = async (desk: Desk): Promise<Node> => {
    const asked = await desk.nodes.drain(name, { draining });
    if (draining && !(await hasOthers(desk, asked)))
      printer.note("No other node takes work now: messages wait until one does.");
    return draining && flags.wait === true
      ? untilDrained(desk, { node: asked, withinMs: flags.timeout * 1_000 })
      : asked;
  };
  const node = await withDesk(flags, drain, { access: "change" });
  if (flags.json === true) return printer.json(node);
  return printer.line(sentence(node));
}

function sentence(node: Node): string {
  if (!node.alive) return `${node.name} has ended.`;
  if (node.drained) return `${node.name} is drained: nothing is at work there any more.`;
  return node.draining ? `${node.name} is draining.` : `${node.name} takes work again.`;
}

async function hasOthers(desk: Desk, { id }: Node): Promise<boolean> {
  const { nodes } = await desk.nodes.list();
  return nodes.some((node) => node.id !== id && node.alive && !node.draining);
}

const LOOK_EVERY_MS = 200;

async function untilDrained(
  desk: Desk,
  { node, withinMs }: { readonly node: Node; readonly withinMs: number },
): Promise<Node> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const { nodes } = await desk.nodes.list();
    const found = nodes.find(({ id }) => id === node.id);
    // One that ends in order is not listed any more.
    if (found === undefined) return { ...node, alive: false, busy: 0 };
    if (found.drained || !found.alive) return found;
    if (!found.draining)
      throw new CommandFailure(`${found.name} takes work again: somebody has taken it back.`);
    if (performance.now() >= deadline) throw new CommandFailure(notInTime(found));
    await pause(LOOK_EVERY_MS);
  }
}

function notInTime({ name, busy }: Node): string {
  const work = busy === 1 ? "1 agent is" : `${busy} agents are`;
  return `${name} is not drained yet: ${work} at work. It goes on draining.`;
}
