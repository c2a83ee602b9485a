import { randomUUID } from "node:crypto";
import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 100;
const HEARTBEAT_MS = 1_000;
const SILENT_MS = 30_000;

/**
 * Runs `work` while no other process does. The lock is a folder that appears complete by one rename and
 * whose owner keeps touching it: a lock is stale when its owner is dead, or has been silent for too long.
 */
export async function withLock(path, work) {
  const token = `${process.pid} ${randomUUID()}`;
  await acquire(path, token);
  const heartbeat = setInterval(() => touch(path), HEARTBEAT_MS);
  const release = () => takeAway(path, token);
  process.once("exit", release);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    process.removeListener("exit", release);
    release();
  }
}

async function acquire(path, token) {
  let seen = { beat: "", sinceMs: 0 };
  let told = false;
  const startedMs = performance.now();
  while (!place(path, token)) {
    const owner = ownerOf(path);
    const beat = `${owner} ${beatOf(path)}`;
    if (beat !== seen.beat) seen = { beat, sinceMs: performance.now() };
    const silentMs = performance.now() - seen.sinceMs;
    if (owner !== undefined && (!isAlive(owner) || silentMs > SILENT_MS)) {
      takeAway(path, owner);
      continue;
    }
    if (!told && performance.now() - startedMs > 1_000) {
      process.stderr.write("Waiting for another install or build to finish…\n");
      told = true;
    }
    await sleep(POLL_MS);
  }
}

function place(path, token) {
  const draft = `${path}.${randomUUID()}`;
  mkdirSync(draft, { recursive: true });
  writeFileSync(join(draft, "owner"), token);
  try {
    renameSync(draft, path);
    return true;
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!["ENOTEMPTY", "EEXIST", "EPERM"].includes(error.code)) throw error;
    return false;
  }
}

/** Moved aside before it is deleted, so that nobody sees half a lock; put back if its owner is not the one meant. */
function takeAway(path, token) {
  const aside = join(dirname(path), `gone.${randomUUID()}`);
  try {
    if (ownerOf(path) !== token) return;
    renameSync(path, aside);
  } catch (error) {
    if (error.code === "ENOENT") return;
    throw error;
  }
  if (ownerOf(aside) !== token) {
    try {
      renameSync(aside, path);
      return;
    } catch {
      // A third process has placed its own by now: that one holds.
    }
  }
  rmSync(aside, { recursive: true, force: true });
}

function ownerOf(path) {
  try {
    return readFileSync(join(path, "owner"), "utf8");
  } catch {
    return undefined;
  }
}

function beatOf(path) {
  try {
    return statSync(join(path, "owner")).mtimeMs;
  } catch {
    return 0;
  }
}

function touch(path) {
  try {
    const now = new Date();
    utimesSync(join(path, "owner"), now, now);
  } catch {
    // Taken away from us: nothing left to keep alive.
  }
}

function isAlive(owner) {
  try {
    process.kill(Number.parseInt(owner, 10), 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
