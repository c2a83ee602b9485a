import type { Runtime } from "../../runtime/runtime.ts";

/**
 * A runtime for tests of the wire alone: what a test does not script is not asked. What sessions do
 * is tested with the real one.
 */
export function runtimeWith(scripted: Partial<Runtime>): Runtime {
  // Every name is an id here, unless a test says otherwise.
  const findSession: Runtime["findSession"] = async (name) => name;
  const listUnusedAnswers: Runtime["listUnusedAnswers"] = async () => [];
  return new Proxy(
    { findSession, listUnusedAnswers, ...scripted },
    {
      get: (target, name) =>
        Reflect.get(target, name) ??
        (() => {
          throw new Error(`the test did not expect ${String(name)}`);
        }),
    },
  ) as Runtime;
}
