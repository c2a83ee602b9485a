import { counted } from "../terminal/format.ts";
import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { errorText } from "../../domain/error-text.ts";
import { checkRows } from "../../runtime/upkeep/row-check.ts";
import { findDatabaseDamage } from "../../storage/open-store.ts";
import type { UnreadableSessions } from "../../storage/ports/quarantine-store.ts";
import {
  databaseElsewhere,
  gatewaySettings,
  findServer,
  type CommonFlags,
} from "../gateway/find-server.ts";
import { processStart } from "../background/process-start.ts";
import { hostFolderIn } from "../settings/data-folder.ts";
import { readHostFile } from "../../providers/host/host-file.ts";
import { damageText } from "./damage.ts";
import { openDatabase } from "../gateway/open-gateway.ts";
import { EXIT } from "../exit.ts";
import { openPrinter } from "../terminal/printer.ts";
import { NothingThere } from "../gateway/served-database.ts";
import { describeDatabase, type ServeSettings } from "../settings/settings.ts";
import { VERSION } from "../version.ts";
import { commandLine } from "../terminal/invocation.ts";

interface Finding {
  readonly name: string;
  /** `warn` does not prevent Holdfast from working. */
  readonly verdict: "good" | "warn" | "bad";
  readonly says: string;
}

const UNREADABLE_SHOWN = 20;
const LITTLE_ROOM_BYTES = 500 * 1024 * 1024;

/** Checks the installation and prints each problem with the next step. */
export async function examine(flags: CommonFlags): Promise<number> {
  const printer = openPrinter(flags);
  const { paint } = printer;
  const findings = await allFindings(flags);
  if (flags.json === true) printer.json({ findings });
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
  const program = await check(
    "program",
    () => `Holdfast ${VERSION} on Node ${process.versions.node}, ${process.platform}`,
  );
  let settings: ServeSettings;
  try {
    settings = gatewaySettings(flags);
  } catch (error) {
    return [program, { name: "settings", verdict: "bad", says: errorText(error) }];
  }
  return [
    program,
    await check("data folder", () => checkFolder(settings)),
    await check("database", () => checkDatabase(flags, settings)),
    await check("server", () => checkServer(flags, settings)),
    await check("git", checkGit),
    await check("sandbox", () => checkSandbox(settings)),
    await check("agent host", () => checkHost(settings)),
    ...(settings.limits.spareAgents > 0
      ? [await check("spare agents", () => checkSpares(settings))]
      : []),
    ...(await providerFindings(settings)),
  ];
}

/** A text is a good result. */
type Result = string | Omit<Finding, "name">;

/** Runs one check; an error is a bad result. */
async function check(name: string, work: () => Result | Promise<Result>): Promise<Finding> {
  try {
    const result = await work();
    return { name, ...(typeof result === "string" ? { verdict: "good", says: result } : result) };
  } catch (error) {
    const verdict = error instanceof NothingThere ? "warn" : "bad";
    return { name, verdict, says: errorText(error) };
  }
}

function checkFolder({ dataFolder }: ServeSettings): Result {
  try {
    if (!existsSync(dataFolder)) return missingFolder(dataFolder);
    accessSync(dataFolder, constants.W_OK);
    const { bavail, bsize } = statfsSync(dataFolder);
    const free = bavail * bsize;
    const room = `${(free / 1024 ** 3).toFixed(1)} GiB free`;
    return free < LITTLE_ROOM_BYTES
      ? { verdict: "warn", says: `${dataFolder}, only ${room}` }
      : `${dataFolder}, ${room}`;
  } catch (error) {
    return { verdict: "bad", says: `${errorText(error)} Choose another folder with --data.` };
  }
}

/** The folder is created on demand, which fails if its nearest existing parent cannot be written. */
function missingFolder(dataFolder: string): Result {
  let above = path.dirname(dataFolder);
  while (!existsSync(above)) above = path.dirname(above);
  if (!statSync(above).isDirectory()) throw new Error(`${above} is not a folder.`);
  accessSync(above, constants.W_OK);
  return {
    verdict: "warn",
    says: `${dataFolder} does not exist yet; ${commandLine("up")} creates it`,
  };
}

async function checkDatabase(flags: CommonFlags, settings: ServeSettings): Promise<Result> {
  const elsewhere = await databaseElsewhere(flags, settings);
  if (elsewhere !== null) return { verdict: "warn", says: elsewhere };
  const damage = await findDatabaseDamage(settings.database);
  if (damage.length > 0) return { verdict: "bad", says: damageText(settings.database, damage) };
  const store = await openDatabase(settings, { access: "read" });
  try {
    await checkRows(store);
    const { schema, setAside, counts } = await store.health();
    const unreadable = await store.unreadableSessions({ limit: UNREADABLE_SHOWN });
    const sessions = counts.active + counts.suspended + counts.archived + counts.error;
    const says = `${describeDatabase(settings.database)}, at ${schema}, ${counted(sessions, "session")}`;
    if (setAside === 0) return says;
    const rows = `${counted(setAside, "row")} that cannot be read${unreadableText(unreadable)}`;
    return { verdict: "warn", says: `${says}; ${rows}` };
  } finally {
    await store.close();
  }
}

/** Names the unreadable sessions. */
function unreadableText({ total, sessions }: UnreadableSessions): string {
  if (total === 0) return "";
  const names = sessions.map(({ id, reason }) => `${id} (${reason})`).join(", ");
  const more = total > sessions.length ? `, and ${total - sessions.length} more` : "";
  return `. Unreadable sessions: ${names}${more}. Show one with: ${commandLine("get ID --raw")}; delete it with: ${commandLine("delete ID")}`;
}

async function checkServer(flags: CommonFlags, settings: ServeSettings): Promise<Result> {
  const server = await findServer(flags, settings);
  if (server === null) return `not running; start one with: ${commandLine("up")}`;
  const { url, client } = server;
  try {
    const { createClient } = await import("@holdfast/client");
    const { status } = await createClient(client).readiness();
    return `${url}, ${status}`;
  } catch (error) {
    return { verdict: "bad", says: `${url}: ${errorText(error)}` };
  }
}

async function checkGit(): Promise<Result> {
  try {
    // In "/": the current folder may be a repository with settings of its own.
    const options = { timeout: 5_000, cwd: "/" };
    const { stdout } = await promisify(execFile)("git", ["--version"], options);
    return stdout.trim();
  } catch {
    return { verdict: "warn", says: "not found; most agents need it" };
  }
}

async function checkSandbox(settings: ServeSettings): Promise<Result> {
  const { describeSandbox, openSandboxOf } = await import("../catalog.ts");
  const sandbox = await openSandboxOf(settings);
  const { mode, active } = sandbox.state;
  const isClosed = active && sandbox.network?.kind !== "shared";
  const verdict = isClosed ? "good" : mode === "required" ? "bad" : "warn";
  return { verdict, says: `agents ${await describeSandbox(sandbox)}` };
}

function checkHost({ dataFolder, agentHost }: ServeSettings): Result {
  if (!agentHost.isOutside) return "none: agents end with the server";
  const host = readHostFile(hostFolderIn(dataFolder));
  const seconds = agentHost.unattendedMs / 1_000;
  const outlive = `agents outlive the server by ${counted(seconds, "second")}`;
  return host !== null && existsSync(host.socket) && processStart(host.pid) !== null
    ? `pid ${host.pid}; ${outlive}`
    : `not running, it starts with the first agent; ${outlive}`;
}

async function checkSpares(settings: ServeSettings): Promise<Result> {
  const { catalogOf, openSandboxOf } = await import("../catalog.ts");
  const { spareAgents, liveAgents } = settings.limits;
  const none = (why: string): Result => ({ verdict: "warn", says: `none: ${why}` });
  const sandbox = await openSandboxOf(settings);
  if (sandbox.state.active) return none("an agent in a sandbox belongs to its session");
  const catalog = catalogOf(settings);
  if (catalog.get(catalog.defaultName)?.startSpare === undefined)
    return none(`${catalog.defaultName} has no processes`);
  const count = Math.min(spareAgents, liveAgents - 1);
  if (count === 0) return none("sessions need the only slot for an agent");
  return `up to ${count} of ${catalog.defaultName}`;
}

async function providerFindings(settings: ServeSettings): Promise<readonly Finding[]> {
  const { catalogOf } = await import("../catalog.ts");
  const catalog = catalogOf(settings);
  const described = await Promise.all(catalog.all().map((provider) => provider.describe()));
  const installed = described.filter((provider) => provider.installed).map(({ name }) => name);
  const missing = described.filter((provider) => !provider.installed).map(({ name }) => name);
  const defaultFinding: Finding = installed.includes(catalog.defaultName)
    ? {
        name: "providers",
        verdict: "good",
        says: `${installed.join(", ")}; new messages go to ${catalog.defaultName}`,
      }
    : {
        name: "providers",
        verdict: "bad",
        says: `The default, ${catalog.defaultName}, is not installed. Run \`${commandLine("providers")}\` to see all providers.`,
      };
  if (missing.length === 0) return [defaultFinding];
  const says = `not installed: ${missing.join(", ")} (${commandLine("providers")} shows how to install them)`;
  return [defaultFinding, { name: "", verdict: "good", says }];
}
