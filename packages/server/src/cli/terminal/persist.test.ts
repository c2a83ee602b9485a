import { ConnectionError, HoldfastError } from "@holdfast/client";
import { describe, expect, it } from "vitest";
import { persist } from "./persist.ts";
import { handClock } from "./testing/fake-terminal.ts";

const LOST = new ConnectionError("no answer", { cause: null });
const refusal = (status: number) => new HoldfastError("database_busy", { status, detail: "busy" });

function open(...failures: readonly Error[]) {
  const { later, pass } = handClock();
  const left = [...failures];
  const over = new AbortController();
  const told = { broken: 0, tries: 0 };
  const done = persist(
    async () => {
      told.tries += 1;
      const failure = left.shift();
      if (failure !== undefined) throw failure;
      return "done";
    },
    {
      giveUpMs: 600,
      later,
      signal: over.signal,
      onBroken: () => {
        told.broken += 1;
      },
    },
  );
  done.catch(() => {});
  return { done, pass, told, over };
}

describe("persisting", () => {
  it("retries without an answer, with growing pauses, and reports it once", async () => {
    const { done, pass, told } = open(LOST, refusal(503));
    await pass(200);
    await pass(400);
    expect([await done, told]).toEqual(["done", { broken: 1, tries: 3 }]);
  });

  it("does not retry a refusal", async () => {
    await expect(open(refusal(409)).done).rejects.toMatchObject({ status: 409 });
    await expect(open(new TypeError("a bug")).done).rejects.toThrow("a bug");
  });

  it("gives up after its time, and at once when aborted", async () => {
    const { done, pass, told } = open(LOST, LOST, LOST, LOST);
    await pass(200);
    await pass(400);
    await expect(done).rejects.toBe(LOST);
    expect(told.tries).toBe(3);
    const other = open(LOST, LOST);
    other.over.abort();
    await expect(other.done).rejects.toMatchObject({ name: "AbortError" });
  });
});
