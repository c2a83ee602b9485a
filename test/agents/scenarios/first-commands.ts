import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "../../architecture/read-sources.ts";
import { openFreshMachine } from "../../packages/fresh-machine.ts";
import { openLocalRegistry } from "../../packages/local-registry.ts";
import { pack } from "../../packages/packed.ts";
import type { Scenario } from "../scenario.ts";

const MOST_COMMANDS = 4;

/** On a machine with Node, npm and the agent, each command is printed by the one before, up to the first answer. */
export const firstCommands: Scenario = {
  name: "first-commands",
  title: "first answer after `npx holdfast`",
  run: async ({ rig, agent }) => {
    const target = path.join(root, ".cache", `packed-${process.pid}-${agent.name}`);
    mkdirSync(target, { recursive: true });
    const registry = await openLocalRegistry([pack("packages/server", target)]);
    rmSync(target, { recursive: true });
    const machine = openFreshMachine(registry.url, (home) => ({
      ...agent.setUp({ home, url: rig.models.url }),
      PATH: [path.dirname(agent.file), path.dirname(process.execPath), process.env["PATH"]].join(
        path.delimiter,
      ),
      HOLDFAST_PORT: "0",
    }));
    mkdirSync(path.join(machine.folder, "project", ".git"), { recursive: true });
    // The model is on this machine, which a sandbox would not let the agent reach.
    mkdirSync(path.join(machine.folder, "data"), { mode: 0o700 });
    writeFileSync(
      path.join(machine.folder, "data", "holdfast.config.json"),
      JSON.stringify({ sandbox: "off" }),
    );
    try {
      let command = "npx holdfast";
      for (let typed = 1; ; typed += 1) {
        assert.ok(typed <= MOST_COMMANDS, `there is no answer after ${MOST_COMMANDS} commands`);
        const screen = await machine.inTerminal("project", command);
        if (command.includes(" send ")) {
          assert.match(screen, /Hello from /u);
          return `${typed} commands`;
        }
        command = nextCommand(screen);
      }
    } finally {
      await machine.run("project", ["npx", "holdfast", "down"]).catch(() => {});
      await machine.close();
      await registry.close();
    }
  },
};

/** The last line that is a command. */
function nextCommand(screen: string): string {
  const lines = screen.split("\n").map((line) => line.trim());
  const command = lines.findLast((line) => /npx holdfast (?:init|send|up|restart)/u.test(line));
  assert.ok(command !== undefined, `no command is printed:\n${screen}`);
  return command.slice(command.indexOf("npx holdfast"));
}
