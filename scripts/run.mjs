import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
export const holdfastBin = join(root, "packages", "server", "bin", "holdfast.js");

export const windows = process.platform === "win32";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
/** One Ctrl-C arrives twice, from the terminal and from npm. Equal signals within this time count as one. */
const SAME_SIGNAL_MS = 1_000;
const PARENT_CHECK_MS = 500;

/** A failure whose message suffices: it is printed without a stack trace. */
export class Stop extends Error {}

/** Runs a script. A Stop prints its message and exits with code 1. */
export async function main(work) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    process.stderr.write(`${error.message.trimEnd()}\n`);
    process.exit(1);
  }
}

/** Runs Node with these arguments in the user's terminal and exits with its exit code. */
export async function runOnPinnedNode(args, options) {
  process.exit(await runInTerminal(args, options));
}

/** The folder in which the user typed the command. npm changes to the repository and stores the folder in INIT_CWD. */
export function callerFolder() {
  const { INIT_CWD, npm_package_json } = process.env;
  const isRunByNpm =
    npm_package_json === join(root, "package.json") && process.cwd() === resolve(root);
  return isRunByNpm && INIT_CWD !== undefined && existsSync(INIT_CWD) ? INIT_CWD : process.cwd();
}

/**
 * Like `runOnPinnedNode`, but resolves to the exit code: 128 + n if signal n ended the process. A server stops its own children;
 * for other programs, `wholeGroup` forwards signals to the whole process group.
 */
export function runInTerminal(args, { wholeGroup = false, cwd } = {}) {
  const preload = pathToFileURL(join(root, "scripts", "end-with-parent.mjs")).href;
  const child = spawn(pinnedNode(), ["--import", preload, ...args], {
    cwd,
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    // In its own process group: Ctrl-C reaches only this script, which forwards it once.
    detached: !windows,
  });
  const signalChild = (signal) => {
    const { pid, exitCode, signalCode } = child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    process.kill(wholeGroup && !windows ? -pid : pid, signal);
  };
  const stopForwarding = forwardSignals(signalChild);
  const stopWatching = watchNpm(() => signalChild("SIGTERM"));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      stopForwarding();
      stopWatching();
      resolve(toExitCode(code, signal));
    });
  });
}

/** Runs a program and collects its output, which the caller shows on failure. */
export function runQuietly(
  command,
  args,
  { cwd = root, env = process.env, shell = false, onOutput = () => {} } = {},
) {
  const child = spawn(command, args, { cwd, env, shell, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
      onOutput(text);
    });
  }
  const endWith = (signal) => {
    child.kill(signal);
    process.exit(toExitCode(null, signal));
  };
  for (const signal of SIGNALS) process.once(signal, endWith);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      for (const name of SIGNALS) process.removeListener(name, endWith);
      resolve({ code: toExitCode(code, signal), output });
    });
  });
}

/** Runs the command-line program of an installed package on the pinned Node and collects its output. */
export function runTool(name, args, options = {}) {
  return runQuietly(pinnedNode(), [toolPath(name), ...args], options);
}

/** The JavaScript file behind node_modules/.bin/`name`. */
export function toolPath(name) {
  const folder = join(root, "node_modules", name === "tsc" ? "typescript" : name);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return join(folder, typeof bin === "string" ? bin : bin[name]);
}

/** The package with the Node that scripts run on. Not every platform has one. */
export const NODE_PACKAGE = `node-${process.platform}-${process.arch}`;

const PINNED_NODE = join(root, "node_modules", NODE_PACKAGE, "bin", "node");

export function pinnedNode() {
  if (existsSync(PINNED_NODE)) return PINNED_NODE;
  if (isOwnNodeNewEnough()) return process.execPath;
  throw new Stop(
    `Node 22.18 or newer is needed, and this is Node ${process.versions.node}. Install a newer one from https://nodejs.org.`,
  );
}

/** False if `pinnedNode` would throw: an install may bring the Node that is missing. */
export function isNodeAvailable() {
  return existsSync(PINNED_NODE) || isOwnNodeNewEnough();
}

/** Throws before an install that cannot bring the Node that is missing. */
export function requireNode() {
  const { optionalDependencies } = JSON.parse(
    readFileSync(join(root, "scripts", "node", "package.json"), "utf8"),
  );
  if (!(NODE_PACKAGE in optionalDependencies)) pinnedNode();
}

function isOwnNodeNewEnough() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 18);
}

function forwardSignals(signalChild) {
  const lastMs = new Map();
  const forward = (signal) => {
    const nowMs = performance.now();
    if (nowMs - (lastMs.get(signal) ?? -Infinity) < SAME_SIGNAL_MS) return;
    lastMs.set(signal, nowMs);
    signalChild(signal);
  };
  for (const signal of SIGNALS) process.on(signal, forward);
  return () => {
    for (const signal of SIGNALS) process.removeListener(signal, forward);
  };
}

/** Under npm, detects that npm has died: npm's shell may die of a signal without forwarding it. */
function watchNpm(onGone) {
  if (process.env.npm_lifecycle_event === undefined) return () => {};
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, PARENT_CHECK_MS);
  return () => clearInterval(timer);
}

function toExitCode(code, signal) {
  return code ?? 128 + (constants.signals[signal] ?? 0);
}
