import { BaseSequencer, type TestSpecification } from "vitest/node";
import type { ProjectName } from "./projects.ts";

/** Slow files start early, so that none of them is the last to end. */
const PROJECT_ORDER: readonly ProjectName[] = ["unit", "system", "browser", "store", "process"];

/** The slowest files, slowest first. The end of `npm test` prints them. */
const SLOWEST = [
  "test/crash/short-matrix.test.ts",
  "test/cluster/scenarios.test.ts",
  "test/browser/approvals.browser.test.ts",
  "storage/postgres/postgres-store.store.test.ts",
  "runtime/cluster/cluster.process.test.ts",
];

/** Vitest's own order within a project, after the slowest files. A worker runs one project after another. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((left, right) => rankOf(left) - rankOf(right));
  }
}

function rankOf({ project, moduleId }: TestSpecification): number {
  const slow = SLOWEST.findIndex((name) => moduleId.endsWith(name));
  const order = PROJECT_ORDER.findIndex((name) => name === project.name);
  return order * 100 + (slow === -1 ? SLOWEST.length : slow);
}
