import { TestRunner } from "vitest";

type Test = Parameters<TestRunner["onAfterRunTask"]>[0];
type Suite = Parameters<TestRunner["onAfterRunSuite"]>[0];

/** Name of `MissingHere`. The runner gets errors as plain objects. */
const MISSING = "MissingHere";

declare module "vitest" {
  interface TaskMeta {
    /** Why the test was skipped. */
    missing?: string;
  }
}

/** Like Vitest's runner, but skips tests and suites whose requirements are missing, with the reason in their `meta`. */
export default class MachineAwareRunner extends TestRunner {
  /** Runs before `afterEach`, which may fail because `beforeEach` did not complete. */
  onTaskFinished(test: Test): void {
    const reason = missing(test);
    if (reason === null || test.result === undefined) return;
    test.meta.missing = reason;
    delete test.result.errors;
    // The same state as after `context.skip`.
    Object.assign(test.result, { state: "skip", pending: true, note: reason });
  }

  /** The tests of a skipped suite have not run. */
  override async onAfterRunSuite(suite: Suite): Promise<void> {
    const reason = missing(suite);
    if (reason !== null && suite.result !== undefined) {
      setReason(suite, reason);
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

function setReason(suite: Suite, reason: string): void {
  for (const task of suite.tasks) {
    if (task.type === "suite") setReason(task, reason);
    else task.meta.missing = reason;
  }
}
