import { existsSync, lstatSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import Module, { createRequire, enableCompileCache, getCompileCacheDir } from "node:module";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { cachedDataVersionTag } from "node:v8";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";

/** A process that goes on saves the code of its start, and a minute later that of its first work, if files had no code. */
const LOOK_EVERY_MS = 2_000;
const LAST_LOOK_MS = 60_000;
/** Long before a server can be busy; short commands have no need of it. */
const NOTE_FLAGS_AFTER_MS = 100;

/** Files of the build whose names change with their content. V8 itself compares only the length of a source. */
const NAMED_BY_CONTENT = /-[\w-]{8}\.js$/u;
const COMMAND = /^[a-z-]{1,40}$/u;
const OTHERS_MAY_WRITE = 0o002;
/** What `exit.ts` calls so. An import of it would load a file of the program without its code. */
const EXIT_USAGE = 64;

/** By names of files. */
type CompiledCode = ReadonlyMap<string, Buffer>;

/**
 * Loads a file of the built program, and what it requires, with the code that V8 compiled in an earlier run of the same command.
 * Node's own cache takes the code of a file before the file runs. It lacks nearly all functions, so each start would compile
 * them again.
 */
export function loadProgram(file: string, command = ""): unknown {
  enableCompileCache();
  // One of this version of Node and of this user, also where `enableCompileCache` names the folder of all.
  const folder = getCompileCacheDir();
  const hasCache = folder !== undefined && COMMAND.test(command) && isSafe(folder);
  const cache = hasCache ? path.join(folder, `holdfast-${command}.code`) : null;
  const program = openProgram(path.dirname(file), () =>
    cache === null ? new Map() : readCode(cache),
  );
  if (cache !== null) saveInTime(program, (code) => writeCode(cache, code));
  return program.load(path.basename(file));
}

/** Whether no other user can put files there. Code runs as it is, and Node's folder for all users is one of the temporary files. */
function isSafe(folder: string): boolean {
  try {
    return [folder, path.dirname(folder)].every((each) => {
      const { uid, mode } = lstatSync(each);
      return (uid === 0 || uid === process.getuid?.()) && (mode & OTHERS_MAY_WRITE) === 0;
    });
  } catch {
    return false;
  }
}

interface Program {
  load(name: string): unknown;
  /** Whether a file had no code of an earlier run. */
  isNew(): boolean;
  /** All that is compiled by now, and what was stored of files that this run has not needed. */
  code(): Iterable<readonly [name: string, code: Buffer]>;
}

function openProgram(folder: string, read: () => CompiledCode): Program {
  const scripts = new Map<string, Script>();
  let kept = new WeakRef(read());
  // Some megabytes, which an idle server does not need.
  const stored = (): CompiledCode => {
    const code = kept.deref() ?? read();
    kept = new WeakRef(code);
    return code;
  };
  const requireFromNode = createRequire(path.join(folder, "package.json"));
  const require = Object.assign(
    (id: string): unknown => (id.startsWith("./") ? load(id.slice(2)) : requireFromNode(id)),
    requireFromNode,
  );
  let isNew = false;

  const compile = (name: string, filename: string): Script => {
    const source = Module.wrap(readFileSync(filename, "utf8"));
    if (!NAMED_BY_CONTENT.test(name)) return new Script(source, { filename });
    const script = new Script(source, { filename, cachedData: stored().get(name) });
    isNew ||= script.cachedDataRejected !== false;
    scripts.set(name, script);
    return script;
  };

  const load = (name: string): unknown => {
    // Without `path.join`, which V8 would optimize for so many calls. The optimizer of V8 alone takes 5 MB.
    const filename = `${folder}${path.sep}${name}`;
    const loaded = require.cache[filename];
    if (loaded !== undefined) return loaded.exports;
    const module = new Module(filename);
    require.cache[filename] = module;
    try {
      const run: unknown = compile(name, filename).runInThisContext();
      if (typeof run !== "function") throw new Error(`unreachable: ${filename} is no module`);
      run.call(module.exports, module.exports, require, module, filename, folder);
    } catch (error) {
      delete require.cache[filename];
      throw error;
    }
    module.loaded = true;
    return module.exports;
  };

  return {
    load,
    isNew: () => isNew,
    *code() {
      for (const [name, code] of stored())
        if (!scripts.has(name) && existsSync(path.join(folder, name))) yield [name, code];
      for (const [name, script] of scripts) yield [name, script.createCachedData()];
    },
  };
}

function saveInTime(program: Program, write: (code: CompiledCode) => void): void {
  let isSaved = false;
  let flags: number | null = null;

  const save = (code: CompiledCode): void => {
    // V8 refuses code that was saved with other flags than its own, and a busy server changes one.
    if (flags !== null && flags !== cachedDataVersionTag()) return;
    write(code);
    isSaved = true;
  };
  /** All at once would take 40 ms. */
  const saveInSteps = async (): Promise<void> => {
    const code = new Map<string, Buffer>();
    for (const [name, part] of program.code()) {
      code.set(name, part);
      await setImmediate();
    }
    save(code);
  };

  setTimeout(() => {
    flags = cachedDataVersionTag();
  }, NOTE_FLAGS_AFTER_MS).unref();
  const look = setInterval(() => {
    const isLast = performance.now() > LAST_LOOK_MS;
    if (isLast) clearInterval(look);
    if (program.isNew() && (isLast || !isSaved)) void saveInSteps();
  }, LOOK_EVERY_MS).unref();
  process.once("exit", (exitCode) => {
    // Later, V8 has thrown away functions that only a start needs.
    const hasAll = performance.now() < LAST_LOOK_MS;
    // Anything that is typed can look like a command.
    if (program.isNew() && hasAll && exitCode !== EXIT_USAGE) save(new Map(program.code()));
  });
}

/** Begins the file: the checksum of the rest, and the length of the header, which names the parts with their lengths. */
const PREFIX_BYTES = 32;
/** V8 copies a part that does not begin at a multiple of it. */
const ALIGNMENT = 8;

/** Nothing if the file is missing or damaged. V8 refuses code of another version or other flags, but damaged code ends the process. */
function readCode(file: string): CompiledCode {
  const code = new Map<string, Buffer>();
  try {
    const bytes = readFileSync(file);
    const [checksum, headerBytes] = bytes.toString("latin1", 0, PREFIX_BYTES).split(" ");
    const content = bytes.subarray(PREFIX_BYTES);
    if (checksum !== String(crc32(content))) return code;
    let start = Number(headerBytes);
    const header: object = JSON.parse(content.toString("latin1", 0, start));
    for (const [name, length] of Object.entries(header)) {
      code.set(name, content.subarray(start, start + length));
      start += aligned(length);
    }
    return code;
  } catch {
    return new Map();
  }
}

/** Fails silently, such as on a full disk: the next start takes longer. */
function writeCode(file: string, code: CompiledCode): void {
  const lengths = [...code].map(([name, { length }]) => [name, length]);
  const header = JSON.stringify(Object.fromEntries(lengths));
  const headerBytes = aligned(header.length);
  const content = Buffer.concat([
    Buffer.from(header.padEnd(headerBytes)),
    ...[...code.values()].map((part) => Buffer.concat([part], aligned(part.length))),
  ]);
  const prefix = Buffer.from(`${crc32(content)} ${headerBytes} `.padEnd(PREFIX_BYTES));
  try {
    // Of two processes that write at once one wins, or their mixture has a wrong checksum.
    writeFileSync(`${file}.new`, Buffer.concat([prefix, content]), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch {}
}

function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}
