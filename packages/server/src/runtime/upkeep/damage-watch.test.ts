import { afterEach, expect, it } from "vitest";
import { startDamageWatch, type DamageWatch } from "./damage-watch.ts";

let watch: DamageWatch | null = null;
afterEach(() => watch?.stop());

const log = { info: () => {}, warn: () => {}, error: () => {}, debug: () => {} };

it("reports damage with every check, and forgets damage that was repaired", async () => {
  const results = [["Table: page 3"], ["Table: page 3"], []];
  const reports: unknown[] = [];
  const checked = Promise.withResolvers<void>();
  watch = startDamageWatch({
    findDamage: async () => {
      const result = results.shift();
      if (result === undefined) checked.resolve();
      return result ?? [];
    },
    log,
    onDamage: (damage) => reports.push(damage),
    afterMs: 0,
    everyMs: 1,
  });
  await checked.promise;
  expect(reports).toEqual([["Table: page 3"], ["Table: page 3"]]);
  expect(watch.damage).toEqual([]);
});

it("goes on after a check that failed, and stops a check that is under way", async () => {
  const failures: unknown[] = [];
  const second = Promise.withResolvers<AbortSignal>();
  let checks = 0;
  watch = startDamageWatch({
    findDamage: (signal) => {
      checks += 1;
      if (checks === 1) return Promise.reject(new Error("busy"));
      second.resolve(signal);
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(new Error("aborted")));
      });
    },
    log: { ...log, error: (fields: unknown) => failures.push(fields) },
    onDamage: () => {},
    afterMs: 0,
    everyMs: 1,
  });
  const signal = await second.promise;
  await watch.stop();
  expect(signal.aborted).toBe(true);
  expect(failures).toHaveLength(1);
});
