import type { Runtime } from "../../runtime/runtime.ts";

/** A runtime for tests of HTTP alone. Methods that a test does not define must not be called. */
export function runtimeWith(scripted: Partial<Runtime>): Runtime {
  // By default every name is an ID.
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
