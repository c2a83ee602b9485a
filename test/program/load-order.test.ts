import { readdirSync } from "node:fs";
import Module, { createRequire } from "node:module";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";

const PROGRAM = path.resolve(import.meta.dirname, "../../packages/server/dist/program");

it("each file of the built program can be loaded first, and needs no file that waits for it", () => {
  const load = createRequire(path.join(PROGRAM, "package.json"));
  const waiting: string[] = [];
  const { require } = Module.prototype;
  onTestFinished(() => void (Module.prototype.require = require));
  Module.prototype.require = Object.assign(function (this: Module, name: string): unknown {
    if (load.cache[path.join(PROGRAM, name)]?.loaded === false) waiting.push(`${this.id} ${name}`);
    return require.call(this, name);
  }, require);
  const files = readdirSync(PROGRAM).filter((name) => /-[\w-]{8}\.js$/u.test(name));
  for (const file of files) {
    for (const loaded of Object.keys(load.cache)) delete load.cache[loaded];
    load(`./${file}`);
  }
  expect(files.length).toBeGreaterThan(50);
  expect(waiting).toEqual([]);
});
