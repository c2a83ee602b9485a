import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createSteps, type Step, type Watched } from "./steps.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const turnAt = "2026-01-01T00:00:00.000Z";
const session = (id: string): Watched => ({ id, turnAt });
const stepOf = (now: string): Step => ({ now, since: turnAt, isHanded: true, turnAt });

function opened() {
  const asked: string[] = [];
  const pending: ((step: Step | null) => void)[] = [];
  const page = { isHidden: false };
  const steps = createSteps({
    isHidden: () => page.isHidden,
    read: ({ id }) => {
      asked.push(id);
      return new Promise((resolve, reject) => {
        pending.push((step) => (step === null ? reject(new Error("gone")) : resolve(step)));
      });
    },
  });
  const reply = async (step: Step | null): Promise<void> => {
    pending.shift()?.(step);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { steps, asked, page, reply };
}

describe("the steps of running sessions", () => {
  it("are read a few at a time, each again after three seconds", async () => {
    const { steps, asked, reply } = opened();
    steps.watch(["a", "b", "c", "d", "e"].map(session));
    expect(asked).toEqual(["a", "b", "c"]);
    await reply(stepOf("Read a.ts"));
    expect(asked).toEqual(["a", "b", "c", "d"]);
    expect(steps.of("a")).toEqual(stepOf("Read a.ts"));
    for (const now of ["b", "c", "d", "e"]) await reply(stepOf(now));
    expect(asked).toEqual(["a", "b", "c", "d", "e"]);
    await vi.advanceTimersByTimeAsync(2_999);
    expect(asked).toHaveLength(5);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked.slice(5)).toEqual(["a", "b", "c"]);
  });

  it("are not read while the page is hidden", async () => {
    const { steps, asked, page, reply } = opened();
    steps.watch([session("a")]);
    page.isHidden = true;
    await reply(stepOf("a"));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toEqual(["a"]);
    page.isHidden = false;
    steps.wake();
    expect(asked).toEqual(["a", "a"]);
  });

  it("are forgotten once a session is out of sight, also if a reply comes later", async () => {
    const { steps, asked, reply } = opened();
    steps.watch([session("a"), session("b")]);
    steps.watch([session("b")]);
    await reply(stepOf("late"));
    expect(steps.of("a")).toBe(null);
    await reply(stepOf("b"));
    await vi.advanceTimersByTimeAsync(3_000);
    expect(asked).toEqual(["a", "b", "b"]);
  });

  it("stay as they are if one cannot be read, and the others go on", async () => {
    const { steps, asked, reply } = opened();
    const told: string[] = [];
    steps.subscribe("a", () => told.push("a"));
    steps.watch([session("a")]);
    await reply(stepOf("Read a.ts"));
    await vi.advanceTimersByTimeAsync(3_000);
    await reply(null);
    expect(steps.of("a")).toEqual(stepOf("Read a.ts"));
    await vi.advanceTimersByTimeAsync(3_000);
    expect(asked).toHaveLength(3);
    expect(told).not.toEqual([]);
  });
});
