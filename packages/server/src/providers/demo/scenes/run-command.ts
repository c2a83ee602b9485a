import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { hardenedGitEnvironment } from "../../../git/hardened-git.ts";
import type { Stage } from "../stage.ts";

const COMMAND = "git status --short";
const MAX_OUTPUT = 64 * 1024;
const MAX_MS = 10_000;

/** Runs one harmless command, if it is allowed. */
export async function runCommand(stage: Stage): Promise<void> {
  const toolCallId = `demo-run-${randomUUID()}`;
  await stage.say("I cannot run real tests, so I would like to run `git status` instead.\n\n");
  const tool = stage.startTool(
    {
      toolCallId,
      name: "run",
      title: COMMAND,
      kind: "execute",
      status: "pending",
      rawInput: { command: COMMAND },
      content: [{ type: "terminal", terminalId: toolCallId }],
    },
    { _meta: { terminal_info: { terminal_id: toolCallId, cwd: stage.cwd } } },
  );
  if (!(await tool.isAllowed())) return stage.say("You did not allow it, so I ran nothing.");
  const { code, lines } = await run(stage, (data) =>
    tool.update({ _meta: { terminal_output: { terminal_id: toolCallId, data } } }),
  );
  tool.update({
    status: code === 0 ? "completed" : "failed",
    rawOutput: { exitCode: code },
    _meta: { terminal_exit: { terminal_id: toolCallId, exit_code: code, signal: null } },
  });
  await stage.say(
    code === 0
      ? `Git reports ${lines} changed ${lines === 1 ? "file" : "files"}.`
      : "Git is not available here, or it failed.",
  );
}

/** Runs Git without hooks and filters of the repository: the user allowed only this command. */
async function run(
  stage: Stage,
  onOutput: (data: string) => void,
): Promise<{ readonly code: number | null; readonly lines: number }> {
  const { cwd } = stage;
  const env = await hardenedGitEnvironment(cwd, process.env).catch(() => null);
  if (env === null) return { code: null, lines: 0 };
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.any([stage.signal, AbortSignal.timeout(MAX_MS)]);
    const child = spawn("git", ["status", "--short"], {
      cwd,
      env,
      signal,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let room = MAX_OUTPUT;
    let lines = 0;
    const take = (data: string): void => {
      lines += data.split("\n").length - 1;
      const shown = data.slice(0, room);
      room -= shown.length;
      if (shown !== "") onOutput(shown);
    };
    child.stdout.setEncoding("utf8").on("data", take);
    child.stderr.setEncoding("utf8").on("data", take);
    child.once("error", () => {
      if (stage.signal.aborted) reject(new Error("cancelled"));
      else resolve({ code: null, lines });
    });
    child.once("close", (code) => resolve({ code, lines }));
  });
}
