import { readFileSync } from "node:fs";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { onTestFinished } from "vitest";
import type { Create } from "../../../domain/kernel/command.ts";
import type { Phase } from "../../../domain/phase.ts";
import type { SessionRecord, Store } from "../../../storage/store.ts";
import { temporaryFolder } from "../../../storage/sqlite/testing/test-file.ts";
import { beginSession, type SessionDriver } from "../../../storage/testing/session-driver.ts";
import { openDatabase } from "../../gateway/open-gateway.ts";
import { hookLogFile } from "../hook-log.ts";
import type { HookStdin } from "../hook-input.ts";
import type { HookOptions } from "../run-hook.ts";

export const NOW = Date.parse("2026-01-08T18:20:00.000Z");
export const MINUTE_MS = 60_000;

export interface HookRig {
  readonly data: string;
  readonly store: Store;
  /** Creates a session that spent a second in each of these phases and was last active this long ago. */
  begin(
    more?: Partial<Create> & { readonly phases?: readonly Phase[]; readonly agoMs?: number },
  ): Promise<SessionDriver>;
  session(id: string): Promise<SessionRecord>;
  call(hook: Callable, input: unknown, more?: Partial<HookOptions>): Promise<Called>;
}

export type Callable = (options: HookOptions) => Promise<number>;

export interface Called {
  readonly code: number;
  readonly output: unknown;
}

/** A database with sessions, and the hooks that use it. */
export async function openHookRig(): Promise<HookRig> {
  const data = path.join(temporaryFolder(), "data");
  const database = { engine: "sqlite", file: path.join(data, "holdfast.db") } as const;
  const store = await openDatabase({ dataFolder: data, database }, { access: "create" });
  onTestFinished(() => store.close());
  return {
    data,
    store,
    begin: async ({ phases = APPROVAL, agoMs = MINUTE_MS, ...more } = {}) => {
      const at = NOW - agoMs - phases.length * 1_000;
      const session = await beginSession(store, { repoId: null, ...more, at });
      for (const phase of phases) await session.perform({ type: "update", changes: {}, phase });
      return session;
    },
    session: async (id) => {
      const read = await store.readSession(id);
      if (read.found !== "session") throw new Error(`session ${id}: ${read.found}`);
      return read.record;
    },
    call: (hook, input, more) => callHook(hook, input, { flags: { data }, ...more }),
  };
}

const APPROVAL: readonly Phase[] = ["approval"];

/** Calls a hook with a text, or with a value as JSON. Its output must be one line of JSON. */
export async function callHook(
  hook: Callable,
  input: unknown,
  options: Partial<HookOptions> & Pick<HookOptions, "flags">,
): Promise<Called> {
  const said: string[] = [];
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      said.push(String(chunk));
      done();
    },
  });
  const code = await hook({
    env: {},
    stdio: { stdin: toStdin(input), stdout },
    clock: () => NOW,
    leave: () => {},
    ...options,
  });
  const lines = said.join("").split("\n");
  if (lines.length !== 2 || lines[1] !== "") throw new Error(`not one line: ${said.join("")}`);
  return { code, output: JSON.parse(lines[0] ?? "") };
}

function toStdin(input: unknown): HookStdin {
  if (input instanceof Readable) return input;
  return Readable.from([typeof input === "string" ? input : JSON.stringify(input)]);
}

/** Without the duration and the process ID, which differ each time. */
export function hookLog(data: string): readonly unknown[] {
  return readFileSync(hookLogFile(data), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => {
      const { tookMs, pid, ...entry }: Record<string, unknown> = JSON.parse(line);
      if (typeof tookMs !== "number" || pid !== process.pid) throw new Error(`odd line: ${line}`);
      return entry;
    });
}
