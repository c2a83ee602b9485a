import { randomUUID } from "node:crypto";
import { agentEnvironment } from "../acp/process/agent-environment.ts";
import { spawnAgent } from "../acp/process/spawn-agent.ts";
import { sweepAgents } from "../acp/process/process-sweep.ts";
import type { Workspace } from "../provider.ts";
import { NOTHING_HELD } from "../secrets/redactor.ts";
import type { Secrets } from "../secrets/secrets.ts";
import type { Sandbox } from "./sandbox.ts";

export interface CommandRequest {
  /** A line of the shell. */
  readonly command: string;
  readonly workspace: Workspace;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Gets what it writes, without secrets. */
  readonly onOutput: (text: string) => void;
}

export interface CommandEnd {
  readonly code: number | null;
  readonly isTimeout: boolean;
}

/** Runs a command of the configuration in a folder of agents, as an agent runs: in the sandbox, with its variables. */
export type RunCommand = (request: CommandRequest) => Promise<CommandEnd>;

/** A command can throw an `AgentFault` if it must not start. */
export function createRunCommand(options: {
  readonly sandbox: Sandbox;
  readonly secrets: Secrets;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Identifies the server, so that the next one finds what is left. */
  readonly owner: string;
}): RunCommand {
  const { sandbox, secrets, owner } = options;
  return async ({ command, workspace, timeoutMs, signal, onOutput }) => {
    const marker = { owner, agent: randomUUID() };
    const variables = { env: {}, passes: [] };
    const enclosure = await sandbox.enclose({
      workspace,
      command: ["/bin/sh", "-c", command],
      environment: agentEnvironment(options.environment, variables, marker, workspace.path),
      mounts: [],
      toolServers: [],
      network: "open",
      given: {},
    });
    let held = NOTHING_HELD;
    const read = (bytes: Uint8Array): void => {
      const next = secrets.redactor.next(held, Buffer.from(bytes).toString("utf8"));
      held = next.held;
      if (next.text !== "") onOutput(next.text);
    };
    let isTimeout = false;
    try {
      const child = await spawnAgent({
        command: enclosure.command,
        isEnclosed: enclosure.isBubblewrap,
        workspace,
        onStderr: read,
      });
      enclosure.bind?.(child.pid);
      const end = (): void => child.signal("SIGKILL");
      const timer = setTimeout(() => {
        isTimeout = true;
        end();
      }, timeoutMs);
      signal.addEventListener("abort", end);
      if (signal.aborted) end();
      child.stdin.on("error", () => {});
      child.stdin.end();
      child.stdout.on("data", read);
      const { code } = await child.exited;
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      const { text } = secrets.redactor.release(held);
      if (text !== "") onOutput(text);
      return { code, isTimeout };
    } finally {
      await enclosure.killAll();
      await sweepAgents(marker);
      enclosure.close();
    }
  };
}
