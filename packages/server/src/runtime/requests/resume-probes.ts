import { stat } from "node:fs/promises";
import path from "node:path";
import type { Catalog } from "../../providers/catalog.ts";
import type { ResumeProbes } from "./judge-resume.ts";

type Found = Awaited<ReturnType<NonNullable<ResumeProbes["provider"]>>>;

/** Looking for a program in every folder of the PATH takes longer than all the rest of a decision. */
const REMEMBERED_MS = 5_000;

/** Looks at the disk and at what is installed, and starts nothing. */
export function createResumeProbes(
  { get, defaultName }: Pick<Catalog, "get" | "defaultName">,
  { clock }: { readonly clock: () => number },
): Required<ResumeProbes> {
  const remembered = new Map<string, { readonly found: Found; readonly at: number }>();
  return {
    workspace: isRepository,
    provider: async (asked) => {
      const name = asked ?? defaultName;
      const provider = get(name);
      if (provider === null) return "not_known";
      const now = clock();
      const last = remembered.get(name);
      if (last !== undefined && Math.abs(now - last.at) < REMEMBERED_MS) return last.found;
      const found = (await provider.describe()).installed ? "installed" : "not_installed";
      remembered.set(name, { found, at: now });
      return found;
    },
  };
}

/** One look for both: a folder that is gone has no `.git` either. */
async function isRepository(folder: string): Promise<boolean> {
  try {
    const found = await stat(path.join(folder, ".git"));
    return found.isDirectory() || found.isFile();
  } catch {
    return false;
  }
}
