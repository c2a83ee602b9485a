import { defined } from "../../domain/defined.ts";
import type { Token, TokenScope } from "@holdfast/protocol";
import type { DatabaseAccess } from "../gateway/open-gateway.ts";
import { openPrinter } from "../terminal/printer.ts";
import { timeAgo } from "../terminal/format.ts";
import type { CommonFlags } from "./tracking.ts";
import type { TokenGateway } from "../gateway/token-gateway.ts";

export interface CreateTokenFlags extends CommonFlags {
  readonly name: string;
  readonly scope: TokenScope;
  /** In days. */
  readonly expires?: number;
}

/** Prints only the token, for `TOKEN=$(holdfast token create …)`. */
export async function createToken(flags: CreateTokenFlags): Promise<void> {
  const printer = openPrinter(flags);
  const { name, scope, expires } = flags;
  const request = defined({ name, scope, expiresInDays: expires });
  const { created, isFirst } = await withTokens(flags, { access: "create" }, async (tokens) => ({
    isFirst: !(await areInUse(tokens)),
    created: await tokens.create(request),
  }));
  // Printed for scripts too: every client needs a token from now on.
  if (isFirst) process.stderr.write(`${FIRST_TOKEN}\n`);
  if (flags.json === true) return printer.json(created);
  printer.note(`Token ${created.id}. Keep it: it is not shown again.`);
  return printer.line(created.token);
}

const FIRST_TOKEN =
  "This is the first token. From now on every request needs one, and the web page asks for it. Commands on the server's own data folder work without it.";

async function areInUse(tokens: TokenGateway): Promise<boolean> {
  return (await tokens.list()).tokens.some(({ revokedAt }) => revokedAt === null);
}

export async function listTokens(flags: CommonFlags): Promise<void> {
  const printer = openPrinter(flags);
  const { tokens } = await withTokens(flags, { access: "read" }, (gateway) => gateway.list());
  if (flags.json === true) return printer.json(tokens);
  if (tokens.length === 0 && printer.isForPeople)
    return printer.note(
      "No tokens. Create one with: holdfast token create --name NAME --scope admin",
    );
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
      { title: "CREATED" },
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
      "That was the last token. A server without HOLDFAST_TOKEN now accepts every request from this machine.",
    );
  if (flags.json === true) printer.json(revoked);
  else printer.line(`${revoked.name} is revoked. Servers refuse it within seconds.`);
}

async function withTokens<Result>(
  flags: CommonFlags,
  options: { readonly access: DatabaseAccess },
  use: (tokens: TokenGateway) => Promise<Result>,
): Promise<Result> {
  const { openTokenGateway } = await import("../gateway/token-gateway.ts");
  const gateway = await openTokenGateway(flags, options);
  try {
    return await use(gateway);
  } finally {
    await gateway.close();
  }
}
