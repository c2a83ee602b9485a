import { createFolderGit, type FolderGit } from "../folder-git.ts";
import type { RestorePlan } from "../restore/plan-restore.ts";

/** What the process does, as JSON in its argument. */
export interface EngineTask {
  readonly dataFolder: string;
  readonly folder: string;
  readonly act:
    | { readonly do: "snapshot" }
    | { readonly do: "restore" | "finish"; readonly plan: Pick<RestorePlan, "now" | "result"> };
}

const task = JSON.parse(process.argv[2] ?? "") as EngineTask;
const engine = createFolderGit({ dataFolder: task.dataFolder, environment: process.env });
process.stdout.write("started\n");
await act(engine, task);
process.stdout.write("done\n");

async function act(git: FolderGit, { folder, act: what }: EngineTask): Promise<void> {
  switch (what.do) {
    case "snapshot": {
      const { isKept } = await git.snapshot(folder, { sessionId: "s", name: ["cut"] });
      await isKept;
      return;
    }
    case "restore":
      return git.restore(folder, what.plan);
    case "finish":
      return git.finishRestore(folder, what.plan, { sessionId: "s", name: ["found"] });
    default:
      what satisfies never;
  }
}
