import { existsSync, lstatSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import Module, { createRequire, enableCompileCache, getCompileCacheDir } from "node:module";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { cachedDataVersionTag, setFlagsFromString } from "node:v8";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";

/** When a process that goes on looks whether files had no code, and saves the code of its start and, at last, of its first work. */
export interface Looks {
  readonly everyMs: number;
  readonly lastMs: number;
}

const LOOKS: Looks = { everyMs: 2_000, lastMs: 60_000 };
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
export function loadProgram(file: string, command = "", looks = LOOKS): unknown {
  enableCompileCache();
  // One of this version of Node and of this user, also where `enableCompileCache` names the folder of all.
  const folder = getCompileCacheDir();
  const hasCache = folder !== undefined && COMMAND.test(command) && isSafe(folder);
  const cache = hasCache ? path.join(folder, `holdfast-${command}.code`) : null;
  const program = openProgram(path.dirname(file), () =>
    cache === null ? new Map() : readCode(cache),
  );
  if (cache !== null) saveInTime(program, looks, (code) => writeCode(cache, code));
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

function saveInTime(
  program: Program,
  { everyMs, lastMs }: Looks,
  write: (code: CompiledCode) => void,
): void {
  const lastAt = performance.now() + lastMs;
  let isSaved = false;
  let flags: number | null = null;
  let keepsFunctions = false;

  /**
   * V8 throws the code of a function away that has not run for some collections of garbage, and that of a whole file first. It
   * keeps it from the first look to the last, which finds the code of the start and of the first work. The flag is one of those
   * with which code is saved.
   */
  const keepFunctions = (keeps: boolean): void => {
    if (keeps !== keepsFunctions)
      setFlagsFromString(keeps ? "--no-flush-bytecode" : "--flush-bytecode");
    keepsFunctions = keeps;
  };
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
  const lookAt = async ({ isLast }: { readonly isLast: boolean }): Promise<void> => {
    if (isLast) keepFunctions(false);
    if (!program.isNew()) return;
    if (isLast || !isSaved) await saveInSteps();
    if (!isLast) keepFunctions(true);
  };

  setTimeout(() => {
    flags = cachedDataVersionTag();
  }, NOTE_FLAGS_AFTER_MS).unref();
  const look = setInterval(() => {
    const isLast = performance.now() > lastAt;
    if (isLast) clearInterval(look);
    void lookAt({ isLast });
  }, everyMs).unref();
  process.once("exit", (exitCode) => {
    // Later, V8 has thrown away functions that only a start needs.
    const hasAll = performance.now() < lastAt;
    keepFunctions(false);
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
