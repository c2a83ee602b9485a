import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { checkRows } from "../../runtime/upkeep/row-check.ts";
import type { UnreadableSessions } from "../../storage/raw-session.ts";
import type { Store } from "../../storage/store.ts";
import {
  databaseElsewhere,
  deskSettings,
  findServer,
  type ServerAddress,
} from "../desk/find-server.ts";
import { openDatabase } from "../desk/open-desk.ts";
import { EXIT } from "../exit.ts";
import { openPrinter } from "../terminal/printer.ts";
import { NothingThere } from "../desk/served-database.ts";
import { describeDatabase, type ServeSettings } from "../settings/settings.ts";
import { VERSION } from "../version.ts";
import type { CommonFlags } from "./tracking.ts";
import { counted } from "../counted.ts";

interface Finding {
  readonly name: string;
  /** `warn` is worth knowing and stops nothing. */
  readonly verdict: "good" | "warn" | "bad";
  readonly says: string;
}

const UNREADABLE_SHOWN = 20;
const LITTLE_ROOM_BYTES = 500 * 1024 * 1024;

/** Looks at everything that Holdfast stands on, and says what to do about what is wrong. */
export async function examine(flags: CommonFlags): Promise<number> {
  const printer = openPrinter(flags);
  const { paint } = printer;
  const findings = await allFindings(flags);
  if (flags.json === true) printer.json(findings);
  else {
    const mark = { good: "✓", warn: "!", bad: "✗" } as const;
    const style = { good: paint.green, warn: paint.yellow, bad: paint.red } as const;
    for (const { name, verdict, says } of findings)
      printer.line(`${mark[verdict]} ${name.padEnd(11)} ${says}`, (text) =>
        text.replace(mark[verdict], style[verdict]),
      );
  }
  return findings.some(({ verdict }) => verdict === "bad") ? EXIT.failed : EXIT.done;
}

async function allFindings(flags: CommonFlags): Promise<readonly Finding[]> {
  const program: Finding = {
    name: "program",
    verdict: "good",
    says: `Holdfast ${VERSION} on Node ${process.versions.node}, ${process.platform}`,
  };
  let settings: ServeSettings;
  try {
    settings = deskSettings(flags);
  } catch (error) {
    return [program, { name: "settings", verdict: "bad", says: messageOf(error) }];
  }
  return [
    program,
    folderFinding(settings),
    await databaseFinding(flags, settings),
    await serverFinding(flags, settings),
    await gitFinding(),
    await sandboxFinding(settings),
    ...(await providerFindings(settings)),
  ];
}

function folderFinding({ dataFolder }: ServeSettings): Finding {
  const name = "data folder";
  try {
    if (!existsSync(dataFolder)) return missingFolder(dataFolder);
    accessSync(dataFolder, constants.W_OK);
    const { bavail, bsize } = statfsSync(dataFolder);
    const free = bavail * bsize;
    const room = `${(free / 1024 ** 3).toFixed(1)} GiB free`;
    return free < LITTLE_ROOM_BYTES
      ? { name, verdict: "warn", says: `${dataFolder}, only ${room}` }
      : { name, verdict: "good", says: `${dataFolder}, ${room}` };
  } catch (error) {
    return { name, verdict: "bad", says: `${messageOf(error)} Choose another with --data.` };
  }
}

/** It is made when it is needed, which works unless what is there of its path cannot be written. */
function missingFolder(dataFolder: string): Finding {
  let above = path.dirname(dataFolder);
  while (!existsSync(above)) above = path.dirname(above);
  if (!statSync(above).isDirectory()) throw new Error(`${above} is not a folder.`);
  accessSync(above, constants.W_OK);
  return {
    name: "data folder",
    verdict: "warn",
    says: `${dataFolder} does not exist yet; holdfast serve makes it`,
  };
}

async function databaseFinding(flags: CommonFlags, settings: ServeSettings): Promise<Finding> {
  const name = "database";
  let store: Store | null = null;
  try {
    const elsewhere = await databaseElsewhere(flags, settings);
    if (elsewhere !== null) return { name, verdict: "warn", says: elsewhere };
    store = await openDatabase(settings, { access: "read" });
    await checkRows(store);
    const { schema, setAside, counts } = await store.health();
    const unreadable = await store.unreadableSessions({ limit: UNREADABLE_SHOWN });
    const sessions = counts.active + counts.suspended + counts.archived + counts.error;
    const says = `${describeDatabase(settings.database)}, at ${schema}, ${counted(sessions, "session")}`;
    return setAside === 0
      ? { name, verdict: "good", says }
      : {
          name,
          verdict: "warn",
          says: `${says}; ${counted(setAside, "row")} that could not be read${unreadableText(unreadable)}`,
        };
  } catch (error) {
    const verdict = error instanceof NothingThere ? "warn" : "bad";
    return { name, verdict, says: messageOf(error) };
  } finally {
    await store?.close();
  }
}

/** The sessions by name, so that somebody can look at them. */
function unreadableText({ total, sessions }: UnreadableSessions): string {
  if (total === 0) return "";
  const names = sessions.map(({ id, reason }) => `${id} (${reason})`).join(", ");
  const more = total > sessions.length ? `, and ${total - sessions.length} more` : "";
  return `. Unreadable sessions: ${names}${more}. See one with: holdfast get ID --raw; remove it with: holdfast delete ID`;
}

async function serverFinding(flags: CommonFlags, settings: ServeSettings): Promise<Finding> {
  const name = "server";
  let server: ServerAddress | null = null;
  try {
    server = await findServer(flags, settings);
    if (server === null)
      return { name, verdict: "good", says: "none was found; start one: holdfast serve" };
    const { url, token } = server;
    const { createClient } = await import("@holdfast/client");
    const { status } = await createClient({ url, token: token ?? undefined }).readiness();
    return { name, verdict: "good", says: `${url}, ${status}` };
  } catch (error) {
    const where = server === null ? "" : `${server.url}: `;
    return { name, verdict: "bad", says: `${where}${messageOf(error)}` };
  }
}

async function gitFinding(): Promise<Finding> {
  try {
    // Not where it was called: that may be a repository, with settings of its own.
    const options = { timeout: 5_000, cwd: "/" };
    const { stdout } = await promisify(execFile)("git", ["--version"], options);
    return { name: "git", verdict: "good", says: stdout.trim() };
  } catch {
    return { name: "git", verdict: "warn", says: "not found; agents want it" };
  }
}

async function sandboxFinding(settings: ServeSettings): Promise<Finding> {
  const name = "sandbox";
  try {
    const [{ openSandboxOf }, { describeSandbox }] = await Promise.all([
      import("../catalog.ts"),
      import("../describe-sandbox.ts"),
    ]);
    const sandbox = await openSandboxOf(settings);
    const { mode, active } = sandbox.state;
    const verdict = active ? "good" : mode === "required" ? "bad" : "warn";
    return { name, verdict, says: `agents ${describeSandbox(sandbox)}` };
  } catch (error) {
    return { name, verdict: "bad", says: messageOf(error) };
  }
}

async function providerFindings(settings: ServeSettings): Promise<readonly Finding[]> {
  const { catalogOf } = await import("../catalog.ts");
  const catalog = catalogOf(settings);
  const described = await Promise.all(catalog.all().map((provider) => provider.describe()));
  const installed = described.filter((provider) => provider.installed).map(({ name }) => name);
  const missing = described.filter((provider) => !provider.installed).map(({ name }) => name);
  const isThere = installed.includes(catalog.defaultName);
  return [
    {
      name: "providers",
      verdict: isThere ? "good" : "bad",
      says: isThere
        ? `${installed.join(", ")}; new messages go to ${catalog.defaultName}`
        : `The default, ${catalog.defaultName}, is not installed. See: holdfast providers`,
    },
    ...(missing.length === 0
      ? []
      : [
          {
            name: "",
            verdict: "good",
            says: `not installed: ${missing.join(", ")} (holdfast providers says how)`,
          } as const,
        ]),
  ];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
