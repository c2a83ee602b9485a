import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import path from "node:path";

/** A demo agent over real stdio; all its output is stored. */
export interface DemoClient {
  readonly pid: number;
  readonly updates: readonly Update[];
  request(method: string, params: object): Promise<Reply>;
  notify(method: string, params: object): void;
  /** Resolves with the first update that matches, past or future. */
  waitFor(fits: (update: Update) => boolean): Promise<Update>;
  /** The next question; answer it with the ID of an option. */
  asked(): Promise<Question>;
  answer(question: Question, optionId: string | null): void;
  writeRaw(text: string): void;
  endInput(): void;
  kill(): void;
  /** The text of all answers so far. */
  text(): string;
  readonly exited: Promise<{ readonly code: number | null; readonly stderr: string }>;
}

export type Update = { readonly sessionUpdate: string } & Readonly<Record<string, unknown>>;

export interface Reply {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface Question {
  readonly id: number;
  readonly toolCall: Readonly<Record<string, unknown>>;
  readonly options: readonly { readonly optionId: string; readonly kind: string }[];
}

const PROGRAM = path.resolve(import.meta.dirname, "../demo-agent.ts");

export function startDemo(env: { readonly state: string; readonly pace?: string }): DemoClient {
  const child = spawn(process.execPath, [PROGRAM], {
    env: {
      PATH: process.env["PATH"],
      // Compiled and without its types it starts in a fifth of the time.
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      HOLDFAST_DEMO_STATE: env.state,
      HOLDFAST_DEMO_PACE: env.pace ?? "0",
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const updates: Update[] = [];
  const replies = new Map<number, (reply: Reply) => void>();
  const watchers = new Set<(update: Update) => void>();
  const questions: Question[] = [];
  let onQuestion: (() => void) | null = null;
  let lastId = 0;
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.on("error", () => {});

  const send = (message: object): void => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  };
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line) as {
      id?: number;
      method?: string;
      params: { update: Update } & Omit<Question, "id">;
    } & Reply;
    if (message.method === "session/update") {
      updates.push(message.params.update);
      for (const watch of watchers) watch(message.params.update);
    } else if (message.method === "session/request_permission") {
      questions.push({ ...message.params, id: message.id ?? -1 });
      onQuestion?.();
    } else if (message.method === undefined) {
      replies.get(message.id ?? -1)?.(message);
    }
  });

  return {
    pid: child.pid ?? -1,
    updates,
    request(method, params) {
      const id = (lastId += 1);
      return new Promise((resolve) => {
        replies.set(id, resolve);
        send({ id, method, params });
      });
    },
    notify: (method, params) => send({ method, params }),
    waitFor(fits) {
      const found = updates.find(fits);
      if (found !== undefined) return Promise.resolve(found);
      return new Promise((resolve) => {
        const watch = (update: Update): void => {
          if (!fits(update)) return;
          watchers.delete(watch);
          resolve(update);
        };
        watchers.add(watch);
      });
    },
    async asked() {
      while (questions.length === 0)
        await new Promise<void>((resolve) => {
          onQuestion = resolve;
        });
      return questions.shift() as Question;
    },
    answer({ id }, optionId) {
      const outcome =
        optionId === null ? { outcome: "cancelled" } : { outcome: "selected", optionId };
      send({ id, result: { outcome } });
    },
    writeRaw: (text) => void child.stdin.write(text),
    endInput: () => void child.stdin.end(),
    kill: () => void child.kill("SIGKILL"),
    text: () =>
      updates
        .filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
        .map(({ content }) => (content as { text: string }).text)
        .join(""),
    exited: once(child, "close").then(([code]: (number | null)[]) => ({
      code: code ?? null,
      stderr,
    })),
  };
}
