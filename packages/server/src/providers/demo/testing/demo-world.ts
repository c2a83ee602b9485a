import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach } from "vitest";
import { startDemo, type DemoClient, type Reply } from "./demo-client.ts";

/** A repository with a secret beside it, and demo agents that work in it. Everything is removed after each test. */
export interface DemoWorld {
  readonly folder: string;
  readonly repository: string;
  /** A new process. `pace` 0 disables its pauses. */
  start(pace?: string): DemoClient;
  open(pace?: string): Promise<OpenDemo>;
}

export interface OpenDemo {
  readonly demo: DemoClient;
  readonly sessionId: string;
  readonly opened: Reply;
  prompt(text: string): Promise<Reply>;
  cancel(): void;
}

export function useDemoWorld(): DemoWorld {
  let folder = "";
  const started: DemoClient[] = [];
  const repository = (): string => path.join(folder, "repository");

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "holdfast-demo-test-"));
    mkdirSync(repository());
    writeFileSync(path.join(repository(), "README.md"), "# A repository\n\nWith words.\n");
    writeFileSync(path.join(folder, "secret.txt"), "do not read me");
  });
  afterEach(async () => {
    for (const demo of started.splice(0)) {
      demo.kill();
      await demo.exited;
    }
    rmSync(folder, { recursive: true, force: true });
  });

  const start = (pace = "0"): DemoClient => {
    const demo = startDemo({ state: path.join(folder, "state"), pace });
    started.push(demo);
    return demo;
  };

  return {
    get folder() {
      return folder;
    },
    get repository() {
      return repository();
    },
    start,
    async open(pace = "0") {
      const demo = start(pace);
      await demo.request("initialize", { protocolVersion: 1 });
      const opened = await demo.request("session/new", { cwd: repository(), mcpServers: [] });
      const sessionId = opened.result?.["sessionId"] as string;
      return {
        demo,
        sessionId,
        opened,
        prompt: (text) =>
          demo.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] }),
        cancel: () => demo.notify("session/cancel", { sessionId }),
      };
    },
  };
}
