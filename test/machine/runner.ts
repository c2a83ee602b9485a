import { TestRunner } from "vitest";

type Test = Parameters<TestRunner["onAfterRunTask"]>[0];
type Suite = Parameters<TestRunner["onAfterRunSuite"]>[0];

/** Of `MissingHere`; errors come here as plain objects. */
const MISSING = "MissingHere";

declare module "vitest" {
  interface TaskMeta {
    /** Why the test was skipped. */
    missing?: string;
  }
}

/** Vitest's own, but a test or a suite that needs what this machine lacks is skipped, with the reason in its `meta`. */
export default class MachineAwareRunner extends TestRunner {
  /** After the test, before its `afterEach`, which may fail for want of what `beforeEach` did not make. */
  onTaskFinished(test: Test): void {
    const reason = missing(test);
    if (reason === null || test.result === undefined) return;
    test.meta.missing = reason;
    delete test.result.errors;
    // As `context.skip` leaves it.
    Object.assign(test.result, { state: "skip", pending: true, note: reason });
  }

  /** Its tests have not been run. */
  override async onAfterRunSuite(suite: Suite): Promise<void> {
    const reason = missing(suite);
    if (reason !== null && suite.result !== undefined) {
      explain(suite, reason);
      suite.mode = "skip";
      suite.result.state = "skip";
      delete suite.result.errors;
    }
    await super.onAfterRunSuite(suite);
  }
}

function missing({ result }: Test | Suite): string | null {
  const [error] = result?.errors ?? [];
  return result?.state === "fail" && error?.name === MISSING ? error.message : null;
}

function explain(suite: Suite, reason: string): void {
  for (const task of suite.tasks) {
    if (task.type === "suite") explain(task, reason);
    else task.meta.missing = reason;
  }
}
