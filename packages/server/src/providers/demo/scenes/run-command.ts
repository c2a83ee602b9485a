import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { hardenedGit } from "../../sandbox/hardened-git.ts";
import type { Stage } from "../stage.ts";

const COMMAND = "git status --short";
const ARGUMENTS = ["status", "--short"];
const MAX_OUTPUT = 64 * 1024;
const MAX_MS = 10_000;

/** Runs one harmless command, if it is allowed. */
export async function runCommand(stage: Stage): Promise<void> {
  const toolCallId = `demo-run-${randomUUID()}`;
  await stage.say("I cannot run real tests, so I would like to run `git status` instead.\n\n");
  const toolCall = {
    toolCallId,
    name: "run",
    title: COMMAND,
    kind: "execute",
    status: "pending",
    rawInput: { command: COMMAND },
    content: [{ type: "terminal", terminalId: toolCallId }],
  };
  stage.update({
    sessionUpdate: "tool_call",
    ...toolCall,
    _meta: { terminal_info: { terminal_id: toolCallId, cwd: stage.cwd } },
  });
  if (!(await stage.ask(toolCall))) {
    const content = [{ type: "content", content: { type: "text", text: "Permission denied." } }];
    stage.update({ sessionUpdate: "tool_call_update", toolCallId, status: "failed", content });
    return stage.say("You did not allow it, so I ran nothing.");
  }
  stage.update({ sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" });
  const { code, lines } = await run(stage, (data) =>
    stage.update({
      sessionUpdate: "tool_call_update",
      toolCallId,
      _meta: { terminal_output: { terminal_id: toolCallId, data } },
    }),
  );
  stage.update({
    sessionUpdate: "tool_call_update",
    toolCallId,
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
  const call = await hardenedGit(ARGUMENTS, { cwd, environment: process.env }).catch(() => null);
  if (call === null) return { code: null, lines: 0 };
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.any([stage.signal, AbortSignal.timeout(MAX_MS)]);
    const child = spawn("git", call.args, {
      cwd,
      env: call.env,
      signal,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let room = MAX_OUTPUT;
    let lines = 0;
    const take = (data: string): void => {
      lines += data.split("\n").length - 1;
      const kept = data.slice(0, room);
      room -= kept.length;
      if (kept !== "") onOutput(kept);
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
