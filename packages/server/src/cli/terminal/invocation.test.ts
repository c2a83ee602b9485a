import { expect, it } from "vitest";
import { commandLine } from "./invocation.ts";

const CLONE = "/home/me/holdfast/packages/server/bin/holdfast.js";
const INSTALLED = "/usr/lib/node_modules/holdfast/bin/holdfast.js";
const npm = (command: string, script: string, project = "holdfast-repository") => ({
  npm_command: command,
  npm_lifecycle_event: script,
  npm_package_name: project,
});

it.each([
  { title: "installed", programFile: INSTALLED, environment: {}, typed: "holdfast up" },
  {
    title: "npx",
    programFile: INSTALLED,
    environment: npm("exec", "npx", "shop"),
    typed: "npx holdfast up",
  },
  {
    title: "a script of a project",
    programFile: INSTALLED,
    environment: npm("run-script", "dev", "shop"),
    typed: "holdfast up",
  },
  {
    title: "npm start in a clone",
    programFile: CLONE,
    environment: npm("start", "start"),
    typed: "npm run holdfast -- up",
  },
  {
    title: "npm run holdfast",
    programFile: CLONE,
    environment: npm("run-script", "holdfast"),
    typed: "npm run holdfast -- up",
  },
  { title: "the alias of a clone", programFile: CLONE, environment: {}, typed: "holdfast up" },
  {
    title: "the alias of a clone below another npx",
    programFile: CLONE,
    environment: npm("exec", "npx"),
    typed: "holdfast up",
  },
])("advice fits how the program was started: $title", ({ programFile, environment, typed }) => {
  expect(commandLine("up", { environment, programFile })).toBe(typed);
});
