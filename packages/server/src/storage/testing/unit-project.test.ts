import { spawn, spawnSync } from "node:child_process";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { createTestDatabase } from "./test-database.ts";

it("a unit test cannot start a process", () => {
  expect(() => spawn("true")).toThrow("A unit test starts a process");
  expect(() => spawnSync("true")).toThrow("A unit test starts a process");
});

it("a unit test cannot start a thread", () => {
  expect(() => new Worker("")).toThrow("A unit test starts a thread");
});

it("a unit test cannot use PostgreSQL", async () => {
  await expect(createTestDatabase("postgres")).rejects.toThrow("A unit test needs PostgreSQL");
});
