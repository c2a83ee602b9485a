import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { runProgram } from "../../git/program/run-program.ts";
import { refuse, type Reply } from "../reply.ts";

export interface OpenPullRequest {
  readonly sessionId: string;
  /** Null: from the session. */
  readonly title: string | null;
  readonly body: string | null;
}

const TIMEOUT_MS = 2 * 60_000;
const MAX_OUTPUT = 64 * 1024;

/**
 * Runs the user's command that opens a pull request. It runs outside of the sandbox, with the user's own login, in an empty
 * folder: so it reads nothing that an agent has written. What it needs is in variables.
 */
export async function pullRequestOf(
  { title, body }: OpenPullRequest,
  about: {
    readonly command: string;
    readonly branch: string;
    readonly into: string;
    readonly remote: string | null;
    readonly suggested: string;
  },
): Promise<Reply<{ readonly url: string }>> {
  const [subject = "", ...rest] = about.suggested.split("\n");
  const folder = await mkdtemp(path.join(tmpdir(), "holdfast-pull-request-"));
  try {
    const output = await runProgram(
      {
        command: ["/bin/sh", "-c", about.command],
        cwd: folder,
        env: {
          ...plainEnvironment(),
          HOLDFAST_BRANCH: about.branch,
          HOLDFAST_INTO: about.into,
          HOLDFAST_REMOTE: about.remote ?? "",
          HOLDFAST_TITLE: title ?? subject,
          HOLDFAST_BODY: body ?? rest.join("\n").trim(),
        },
        writes: [folder],
      },
      { timeoutMs: TIMEOUT_MS, maxBytes: MAX_OUTPUT },
    );
    const text = output.stdout.toString("utf8");
    const url = text.match(/https?:\/\/\S+/gu)?.at(-1);
    if (output.code === 0 && url !== undefined) return { ok: true, url };
    const detail = output.stderr.trim() || text.trim() || "it printed no address";
    return refuse(
      "pull_request_failed",
      output.code === 0
        ? "The command for pull requests printed no address."
        : `The command for pull requests failed: ${detail}`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function plainEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || name.startsWith("HOLDFAST_") ? [] : [[name, value]],
    ),
  );
}
