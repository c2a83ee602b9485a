import type { RootCommand } from "@bomb.sh/tab";
import type { Node, Session } from "@holdfast/protocol";
import type { Command } from "commander";
import type { SessionGateway } from "../gateway/session-gateway.ts";
import { nameOf } from "../gaia/to-state.ts";
import { neutraliseLine } from "../terminal/neutralise.ts";
import { withGateway } from "../gateway/open-gateway.ts";

const MAX_OFFERED = 50;
const REPLACED = "completion-script";

/** Adds `complete`, which the script of `completion` calls for the current names. */
export async function addCompletion(program: Command): Promise<void> {
  const { default: addTo } = await import("@bomb.sh/tab/commander");
  // The library also adds a command that prints its script, which ours replaces.
  const root = addTo(program, { completionCommandName: REPLACED });
  root.commands.delete(REPLACED);
  program.hook("preAction", async (_, action) => {
    if (action.name() === "complete") await offerNames(root);
  });
}

/** Offers the IDs of sessions and the names of nodes. Without a database there are none, which is not a failure. */
async function offerNames(root: RootCommand): Promise<void> {
  const all = [...root.commands.values()].flatMap((command) => [...command.arguments.values()]);
  const ids = all.filter(({ name }) => name === "id" || name === "ids");
  const nodeArguments = all.filter(({ name }) => name === "node");
  if (ids.length + nodeArguments.length === 0) return;
  const { sessions, nodes } = await withGateway({}, "read", readNames).catch(() => NOTHING);
  for (const argument of ids) {
    argument.handler = (complete) => {
      for (const session of sessions)
        complete(
          nameOf(session),
          neutraliseLine(session.title ?? session.purpose ?? session.phase),
        );
    };
  }
  for (const argument of nodeArguments) {
    argument.handler = (complete) => {
      for (const { name, id, alive } of nodes) if (alive) complete(name, id);
    };
  }
}

interface Names {
  readonly sessions: readonly Session[];
  readonly nodes: readonly Node[];
}

const NOTHING: Names = { sessions: [], nodes: [] };

async function readNames(gateway: SessionGateway): Promise<Names> {
  const { sessions } = await gateway.sessions.list({ limit: MAX_OFFERED });
  const { nodes } = await gateway.nodes.list();
  return { sessions, nodes };
}
