import type { RootCommand } from "@bomb.sh/tab";
import type { Node, Session } from "@holdfast/protocol";
import type { Command } from "commander";
import type { SessionGateway } from "../gateway/session-gateway.ts";
import { nameOf } from "../gaia/to-state.ts";
import { neutraliseLine } from "../terminal/neutralise.ts";
import { withGateway } from "./tracking.ts";

/** As many as a person would look through. */
const OFFERED = 50;

/** `completion SHELL` prints a script; what that asks back for, `complete`, is answered with what there is now. */
export async function addCompletion(program: Command): Promise<void> {
  const { default: addTo } = await import("@bomb.sh/tab/commander");
  const root = addTo(program, { completionCommandName: "completion" });
  program.hook("preAction", async (_, action) => {
    if (action.name() === "complete") await offerNames(root);
  });
}

/** Live ids, each with what it is about. Without a database there are none, and that is no failure. */
async function offerNames(root: RootCommand): Promise<void> {
  const wanted = [...root.commands.values()].flatMap((command) => [...command.arguments.values()]);
  const ids = wanted.filter(({ name }) => name === "id" || name === "ids");
  const ofNodes = wanted.filter(({ name }) => name === "node");
  if (ids.length + ofNodes.length === 0) return;
  const { sessions, nodes } = await withGateway({}, readNames, { access: "read" }).catch(
    () => NOTHING,
  );
  for (const argument of ids) {
    argument.handler = (complete) => {
      for (const session of sessions)
        complete(
          nameOf(session),
          neutraliseLine(session.title ?? session.purpose ?? session.phase),
        );
    };
  }
  for (const argument of ofNodes) {
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
  const { sessions } = await gateway.sessions.list({ limit: OFFERED });
  const { nodes } = await gateway.nodes.list();
  return { sessions, nodes };
}
