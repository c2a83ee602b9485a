import { errorText } from "../../domain/error-text.ts";
import { v7 as newId } from "uuid";
import type { Command } from "../../domain/kernel/command.ts";
import { executeCommand } from "../../runtime/execute-command.ts";
import type { Store } from "../../storage/store.ts";
import { openDatabase } from "../gateway/open-gateway.ts";
import { EXIT } from "../exit.ts";
import { dataSettings, describeDatabase } from "../settings/settings.ts";
import { neutraliseLine } from "../terminal/neutralise.ts";
import { hookLogFile } from "./hook-log.ts";
import { PRE_DELEGATE } from "./pre-delegate.ts";
import { HOOK_LIMIT_MS, type HookOptions, type HookContext } from "./run-hook.ts";
import { SUBAGENT_STOP } from "./subagent-stop.ts";

/** Tests both hooks on a temporary session. Resolves to 0 on success, else 2. */
export async function checkHooks({ flags, env, stdio }: HookOptions): Promise<number> {
  const line = (text: string): void => void stdio.stdout.write(`${text}\n`, () => {});
  try {
    const settings = dataSettings(flags, env);
    const place = { flags, env, clock: Date.now, busyTimeoutMs: HOOK_LIMIT_MS };
    const store = await openDatabase(settings, { access: "create" });
    try {
      line(`✓ opened the database: ${describeDatabase(settings.database)}`);
      await tryBoth(store, place, (text) => line(`✓ ${text}`));
    } finally {
      await store.close();
    }
    line(`The hooks work. Each call is logged in ${hookLogFile(settings.dataFolder)}`);
    return EXIT.done;
  } catch (error) {
    line(`✗ ${neutraliseLine(errorText(error))}`);
    return EXIT.failed;
  }
}

async function tryBoth(
  store: Store,
  place: HookContext,
  report: (text: string) => void,
): Promise<void> {
  const id = newId();
  // A unique name, so that no other session is found by it.
  const agentName = `hook-test-${id}`;
  const act = async (command: Command): Promise<void> => {
    const executed = await executeCommand({ store, newId }, { sessionId: id, command });
    if (!executed.ok) throw new Error(`The session was refused: ${JSON.stringify(executed)}`);
  };
  const at = place.clock();
  const phase = async (): Promise<string> => {
    const read = await store.readSession(id);
    return read.found === "session" ? read.record.phase : read.found;
  };
  const resumable = { should_resume: true, agent_id: id };
  try {
    await act({ ...NEW_SESSION, id, agentName, at });
    report(`created a session: ${id}`);
    await act({ type: "update", at, changes: {}, phase: "approval" });
    report("set its phase to approval");
    await expectAnswer(
      PRE_DELEGATE.answer({ agent_name: agentName, agent_id: id }, place),
      resumable,
    );
    report("pre-delegate says to resume it");
    await expectAnswer(PRE_DELEGATE.answer({ agent_name: agentName }, place), resumable);
    report("pre-delegate finds it by the agent name");
    await expectAnswer(SUBAGENT_STOP.answer({ task_info: { agent_id: id } }, place), {
      finalized: true,
      agent_id: id,
    });
    report(`subagent-stop finalizes it: ${await phase()}`);
  } finally {
    if ((await phase()) !== "nothing") {
      await act({ type: "delete", at: place.clock() });
      report("deleted the session");
    }
  }
}

const NEW_SESSION = {
  type: "create",
  agentId: null,
  repoId: null,
  title: null,
  provider: null,
  model: null,
  purpose: "a test of the hooks",
  metadata: {},
  forkedFrom: null,
} as const;

async function expectAnswer(
  answering: ReturnType<typeof PRE_DELEGATE.answer>,
  expected: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { output } = await answering;
  for (const [key, value] of Object.entries(expected)) {
    if (output[key] === value) continue;
    throw new Error(
      `The hook should have answered ${key} ${String(value)}: ${JSON.stringify(output)}`,
    );
  }
}
