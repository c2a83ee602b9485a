import { counted } from "../terminal/format.ts";
import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { errorText } from "../../domain/error-text.ts";
import { checkRows } from "../../runtime/upkeep/row-check.ts";
import type { UnreadableSessions } from "../../storage/ports/quarantine-store.ts";
import type { Store } from "../../storage/store.ts";
import {
  databaseElsewhere,
  gatewaySettings,
  findServer,
  type CommonFlags,
  type ServerAddress,
} from "../gateway/find-server.ts";
import { openDatabase } from "../gateway/open-gateway.ts";
import { EXIT } from "../exit.ts";
import { openPrinter } from "../terminal/printer.ts";
import { NothingThere } from "../gateway/served-database.ts";
import { describeDatabase, type ServeSettings } from "../settings/settings.ts";
import { VERSION } from "../version.ts";

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
    settings = gatewaySettings(flags);
  } catch (error) {
    return [program, { name: "settings", verdict: "bad", says: errorText(error) }];
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
    return { name, verdict: "bad", says: `${errorText(error)} Choose another folder with --data.` };
  }
}

/** The folder is created on demand, which fails if its nearest existing parent cannot be written. */
function missingFolder(dataFolder: string): Finding {
  let above = path.dirname(dataFolder);
  while (!existsSync(above)) above = path.dirname(above);
  if (!statSync(above).isDirectory()) throw new Error(`${above} is not a folder.`);
  accessSync(above, constants.W_OK);
  return {
    name: "data folder",
    verdict: "warn",
    says: `${dataFolder} does not exist yet; holdfast serve creates it`,
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
          says: `${says}; ${counted(setAside, "row")} that cannot be read${unreadableText(unreadable)}`,
        };
  } catch (error) {
    const verdict = error instanceof NothingThere ? "warn" : "bad";
    return { name, verdict, says: errorText(error) };
  } finally {
    await store?.close();
  }
}

/** Names the unreadable sessions. */
function unreadableText({ total, sessions }: UnreadableSessions): string {
  if (total === 0) return "";
  const names = sessions.map(({ id, reason }) => `${id} (${reason})`).join(", ");
  const more = total > sessions.length ? `, and ${total - sessions.length} more` : "";
  return `. Unreadable sessions: ${names}${more}. Show one with: holdfast get ID --raw; delete it with: holdfast delete ID`;
}

async function serverFinding(flags: CommonFlags, settings: ServeSettings): Promise<Finding> {
  const name = "server";
  let server: ServerAddress | null = null;
  try {
    server = await findServer(flags, settings);
    if (server === null)
      return { name, verdict: "good", says: "not running; start one with: holdfast serve" };
    const { url, token } = server;
    const { createClient } = await import("@holdfast/client");
    const { status } = await createClient({ url, token: token ?? undefined }).readiness();
    return { name, verdict: "good", says: `${url}, ${status}` };
  } catch (error) {
    const where = server === null ? "" : `${server.url}: `;
    return { name, verdict: "bad", says: `${where}${errorText(error)}` };
  }
}

async function gitFinding(): Promise<Finding> {
  try {
    // In "/": the current folder may be a repository with settings of its own.
    const options = { timeout: 5_000, cwd: "/" };
    const { stdout } = await promisify(execFile)("git", ["--version"], options);
    return { name: "git", verdict: "good", says: stdout.trim() };
  } catch {
    return { name: "git", verdict: "warn", says: "not found; most agents need it" };
  }
}

async function sandboxFinding(settings: ServeSettings): Promise<Finding> {
  const name = "sandbox";
  try {
    const { describeSandbox, openSandboxOf } = await import("../catalog.ts");
    const sandbox = await openSandboxOf(settings);
    const { mode, active } = sandbox.state;
    const verdict = active ? "good" : mode === "required" ? "bad" : "warn";
    return { name, verdict, says: `agents ${describeSandbox(sandbox)}` };
  } catch (error) {
    return { name, verdict: "bad", says: errorText(error) };
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
        : `The default, ${catalog.defaultName}, is not installed. Run \`holdfast providers\` to see all providers.`,
    },
    ...(missing.length === 0
      ? []
      : [
          {
            name: "",
            verdict: "good",
            says: `not installed: ${missing.join(", ")} (holdfast providers shows how to install them)`,
          } as const,
        ]),
  ];
}
