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
 * Runs `work` while no other process does. The lock is a folder that one rename creates with its content, and
 * its owner updates the modification time every second. A lock is stale if its owner is dead or has stopped updating it.
 */
export async function withLock(path, work) {
  const token = `${process.pid} ${randomUUID()}`;
  await acquire(path, token);
  const heartbeat = setInterval(() => touch(path), HEARTBEAT_MS);
  const release = () => remove(path, token);
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
  let lastChange = { heartbeatKey: "", sinceMs: 0 };
  let hasReported = false;
  const startedMs = performance.now();
  while (!create(path, token)) {
    const owner = ownerOf(path);
    const heartbeatKey = `${owner} ${modifiedMs(path)}`;
    if (heartbeatKey !== lastChange.heartbeatKey)
      lastChange = { heartbeatKey, sinceMs: performance.now() };
    const silentMs = performance.now() - lastChange.sinceMs;
    if (owner !== undefined && (!isAlive(owner) || silentMs > SILENT_MS)) {
      remove(path, owner);
      continue;
    }
    if (!hasReported && performance.now() - startedMs > 1_000) {
      process.stderr.write("Waiting for another install or build to finish…\n");
      hasReported = true;
    }
    await sleep(POLL_MS);
  }
}

function create(path, token) {
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

/** Renames the folder before deleting it, so that no process sees half a lock. Puts it back if the owner has changed. */
function remove(path, token) {
  const renamed = join(dirname(path), `gone.${randomUUID()}`);
  try {
    if (ownerOf(path) !== token) return;
    renameSync(path, renamed);
  } catch (error) {
    if (error.code === "ENOENT") return;
    throw error;
  }
  if (ownerOf(renamed) !== token) {
    try {
      renameSync(renamed, path);
      return;
    } catch {
      // A third process has created its own lock meanwhile, which stays valid.
    }
  }
  rmSync(renamed, { recursive: true, force: true });
}

function ownerOf(path) {
  try {
    return readFileSync(join(path, "owner"), "utf8");
  } catch {
    return undefined;
  }
}

function modifiedMs(path) {
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
    // Another process has removed the lock.
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
