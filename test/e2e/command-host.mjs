/**
 * Runs commands of the built program for its parent in one process, one after another, because starting Node and
 * loading the program takes longer than most commands. Each command gets its own environment, folder, stdin, stdout
 * and stderr. Commands that exit their process need their own process.
 */
import { enableCompileCache } from "node:module";
import { Readable } from "node:stream";

enableCompileCache();
const { main } = await import("../../packages/server/dist/program/main.js");

let reply = () => {};
// Each command listens to the same streams.
process.stdout.setMaxListeners(0);
process.stderr.setMaxListeners(0);
process.exit = (code) => {
  reply(code ?? process.exitCode ?? 0);
  throw new Error("the command exited its process");
};

async function run({ id, args, env, input, folder }) {
  const output = { stdout: "", stderr: "" };
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  Object.defineProperty(process, "stdin", { value: Readable.from([input]), configurable: true });
  for (const name of ["stdout", "stderr"]) collect(process[name], (text) => (output[name] += text));
  process.chdir(folder);
  process.exitCode = 0;
  let hasReplied = false;
  reply = (code) => {
    if (!hasReplied) process.send({ id, code, ...output });
    hasReplied = true;
  };
  await main(args);
  process.stdout.removeAllListeners("error");
  reply(process.exitCode);
}

function collect(stream, add) {
  stream.write = (chunk, encoding, written = encoding) => {
    add(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString());
    if (typeof written === "function") process.nextTick(written);
    return true;
  };
}

let running = Promise.resolve();
process.on("message", (command) => {
  running = running.then(() => run(command));
});
process.on("disconnect", () => process.reallyExit(0));
process.send({ ready: true });
