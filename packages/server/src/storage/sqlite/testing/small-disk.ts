import { spawnSync } from "node:child_process";
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { MissingHere } from "../../../domain/testing/machine.ts";
import { openMigrations, type DatabaseLocation } from "../../open-store.ts";
import { portableStore } from "../../portable-store.ts";
import type { Store } from "../../store.ts";
import { openSqliteConnection } from "../connection.ts";
import { faultFromSqlite } from "../faults.ts";
import { openSqliteStore } from "../open-sqlite-store.ts";
import { startWriter } from "../writer.ts";

/** A store with little disk space. Tests can fill the disk and free it again. */
export interface SmallDisk {
  readonly store: Store;
  readonly location: DatabaseLocation;
  fill(): Promise<void>;
  free(): Promise<void>;
  remove(): Promise<void>;
}

const PAGES = 700;

/** Needs no privileges: the database refuses to grow, with the error of a full disk. */
export async function limitedFile(): Promise<SmallDisk> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-test-"));
  const file = path.join(folder, "holdfast.db");
  await (await openMigrations({ engine: "sqlite", file })).up();
  const reader = openSqliteConnection(file, { readOnly: true });
  const writer = startWriter({ file, maxPages: PAGES });
  const raw = new DatabaseSync(file, { timeout: 100_000 });
  const store = portableStore({
    at: reader,
    isShared: false,
    isServer: true,
    write: writer.write,
    schema: { name: "limited", migratedAt: 0 },
    options: { clock: Date.now },
    translate: faultFromSqlite,
    onOutsideWrites: () => {},
    call: () => {},
    close: async () => {
      await writer.close();
      await reader.close();
    },
  });
  return {
    store,
    location: { engine: "sqlite", file },
    fill: async () => {
      raw.exec(
        `create table "Ballast" ("bytes" blob); insert into "Ballast" values (zeroblob(${PAGES * 4096}))`,
      );
    },
    free: async () => raw.exec(`drop table "Ballast"`),
    remove: async () => {
      await store.close();
      raw.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A real small file system in memory. It needs permission to mount. */
export async function mountedDisk(): Promise<SmallDisk> {
  const { folder, unmount } = mountMemory("size=3m");
  const file = path.join(folder, "holdfast.db");
  await (await openMigrations({ engine: "sqlite", file })).up();
  const store = await openSqliteStore({ file, clock: Date.now });
  const ballast = path.join(folder, "ballast");
  return {
    store,
    location: { engine: "sqlite", file },
    fill: async () => fillUp(ballast),
    free: async () => rmSync(ballast),
    remove: async () => {
      await store.close();
      unmount();
    },
  };
}

export function canMount(): boolean {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-test-"));
  const mounted = spawnSync("/bin/mount", ["-t", "tmpfs", "tmpfs", folder]).status === 0;
  if (mounted) spawnSync("/bin/umount", [folder]);
  rmSync(folder, { recursive: true, force: true });
  return mounted;
}

/** The reason why no small disk is available. */
export const NO_MOUNT = "no file system can be mounted here, which takes root on Linux";

/** Root can write everywhere except on a read-only file system or in `/proc`. */
export function unwritableFolder(): { readonly folder: string; remove(): void } {
  if (canMount()) {
    const { folder, unmount } = mountMemory("ro");
    return { folder, remove: unmount };
  }
  if (process.getuid?.() === 0) return { folder: "/proc", remove: () => {} };
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-test-"));
  chmodSync(folder, 0o500);
  return { folder, remove: () => rmSync(folder, { recursive: true }) };
}

export function mountMemory(options: string): { readonly folder: string; unmount(): void } {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-test-"));
  const args = ["-t", "tmpfs", "-o", options, "tmpfs", folder];
  if (spawnSync("/bin/mount", args).status !== 0) {
    rmSync(folder, { recursive: true });
    throw new MissingHere(NO_MOUNT);
  }
  return {
    folder,
    unmount: () => {
      const { status: failed, stderr: reason } = spawnSync("/bin/umount", [folder], {
        encoding: "utf8",
      });
      if (failed !== 0) throw new Error(`umount failed: ${reason}`);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** In small steps, so that the last page is full too. */
export function fillUp(file: string): void {
  const handle = openSync(file, "w");
  try {
    for (const size of [65_536, 4096, 1]) {
      try {
        for (;;) writeSync(handle, new Uint8Array(size));
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
      }
    }
  } finally {
    closeSync(handle);
  }
}
