import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

export const FAKE_MODEL = "fake-model";

export interface FakeModel {
  readonly url: string;
  stop(): void;
}

/** A model for agents that are a part of their server, in a process of its own. */
export async function startFakeModel(): Promise<FakeModel> {
  const child = fork(path.join(import.meta.dirname, "fake-model-server.ts"));
  const [port] = await once(child, "message");
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill("SIGKILL") };
}
