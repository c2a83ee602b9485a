import path from "node:path";
import type { Catalog } from "../../providers/catalog.ts";
import { isFileOrFolder } from "../repositories/open-folder.ts";
import type { ResumeProbes } from "./judge-resume.ts";

type ProviderState = Awaited<ReturnType<NonNullable<ResumeProbes["provider"]>>>;

/** Searching the PATH for a program takes longer than the rest of the decision. */
const CACHED_MS = 5_000;

/** Probes of the disk and the installed programs. They start no process. */
export function createResumeProbes(
  catalog: Pick<Catalog, "get" | "defaultName">,
  { clock }: { readonly clock: () => number },
): Required<ResumeProbes> {
  const cache = new Map<string, { readonly state: ProviderState; readonly at: number }>();
  return {
    // A missing folder has no `.git` either, so one check is enough.
    workspace: (folder) => isFileOrFolder(path.join(folder, ".git")),
    provider: async (requested) => {
      const name = requested ?? catalog.defaultName;
      const provider = catalog.get(name);
      if (provider === null) return "not_known";
      const now = clock();
      const last = cache.get(name);
      if (last !== undefined && Math.abs(now - last.at) < CACHED_MS) return last.state;
      const state = (await provider.describe()).installed ? "installed" : "not_installed";
      cache.set(name, { state, at: now });
      return state;
    },
  };
}
