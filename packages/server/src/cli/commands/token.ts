import type { Token, TokenScope } from "@holdfast/protocol";
import type { DatabaseAccess } from "../desk/open-desk.ts";
import { openPrinter } from "../terminal/printer.ts";
import { timeAgo } from "../terminal/time-ago.ts";
import type { CommonFlags } from "./tracking.ts";
import type { TokenDesk } from "../desk/token-desk.ts";

export interface CreateTokenFlags extends CommonFlags {
  readonly name: string;
  readonly scope: TokenScope;
  /** In days. */
  readonly expires?: number;
}

/** Prints the token alone, for `TOKEN=$(holdfast token create …)`. */
export async function createToken(flags: CreateTokenFlags): Promise<void> {
  const printer = openPrinter(flags);
  const { name, scope, expires } = flags;
  const request = { name, scope, ...(expires !== undefined && { expiresInDays: expires }) };
  const { created, isFirst } = await withTokens(flags, { access: "create" }, async (tokens) => ({
    isFirst: !(await areInUse(tokens)),
    created: await tokens.create(request),
  }));
  // Also where nobody watches: it changes what every client must do.
  if (isFirst) process.stderr.write(`${FIRST_TOKEN}\n`);
  if (flags.json === true) return printer.json(created);
  printer.note(`Token ${created.id}. It is shown only now: keep it.`);
  return printer.line(created.token);
}

const FIRST_TOKEN =
  "This is the first token. From now on every request needs one, and the page asks for it. Commands on the server's own data folder go on without.";

async function areInUse(tokens: TokenDesk): Promise<boolean> {
  return (await tokens.list()).tokens.some(({ revokedAt }) => revokedAt === null);
}

export async function listTokens(flags: CommonFlags): Promise<void> {
  const printer = openPrinter(flags);
  const { tokens } = await withTokens(flags, { access: "read" }, (desk) => desk.list());
  if (flags.json === true) return printer.json(tokens);
  if (tokens.length === 0 && printer.isForPeople)
    return printer.note("No tokens yet. Make one: holdfast token create --name NAME --scope admin");
  const now = Date.now();
  const when = (time: string | null): string =>
    time === null ? "never" : printer.isForPeople ? timeAgo(time, now) : time;
  return printer.table(
    tokens.map((token) => [
      token.id,
      token.name,
      token.scope,
      stateOf(token, now),
      when(token.createdAt),
      when(token.lastUsedAt),
      token.expiresAt ?? "never",
    ]),
    [
      { title: "ID" },
      { title: "NAME", flexible: true },
      { title: "SCOPE" },
      { title: "STATE" },
      { title: "MADE" },
      { title: "USED" },
      { title: "EXPIRES" },
    ],
  );
}

function stateOf({ revokedAt, expiresAt }: Token, now: number): string {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && Date.parse(expiresAt) <= now ? "expired" : "good";
}

export async function revokeToken(id: string, flags: CommonFlags): Promise<void> {
  const printer = openPrinter(flags);
  const { revoked, areLeft } = await withTokens(flags, { access: "change" }, async (tokens) => ({
    revoked: await tokens.revoke(id),
    areLeft: await areInUse(tokens),
  }));
  if (!areLeft)
    printer.note(
      "That was the last one: a server without HOLDFAST_TOKEN is open to this machine now.",
    );
  if (flags.json === true) printer.json(revoked);
  else printer.line(`${revoked.name} is revoked; servers refuse it within seconds.`);
}

async function withTokens<Result>(
  flags: CommonFlags,
  options: { readonly access: DatabaseAccess },
  use: (tokens: TokenDesk) => Promise<Result>,
): Promise<Result> {
  const { openTokenDesk } = await import("../desk/token-desk.ts");
  const desk = await openTokenDesk(flags, options);
  try {
    return await use(desk);
  } finally {
    await desk.close();
  }
}
