import { defined } from "../../domain/defined.ts";
import type { Token, TokenScope } from "@holdfast/protocol";
import type { CommonFlags } from "../gateway/find-server.ts";
import { withGateway } from "../gateway/open-gateway.ts";
import { openPrinter } from "../terminal/printer.ts";
import { commandLine } from "../terminal/invocation.ts";

export interface CreateTokenFlags extends CommonFlags {
  readonly name: string;
  readonly scope: TokenScope;
  /** The only session that the token is for: its ID or agent ID. */
  readonly session?: string;
  /** In days. */
  readonly expires?: number;
}

/** Prints only the token, for `TOKEN=$(holdfast token create …)`. */
export async function createToken(flags: CreateTokenFlags): Promise<void> {
  const printer = openPrinter(flags);
  const { name, scope, session, expires } = flags;
  const created = await withGateway(flags, "create", async ({ sessions, tokens }) => {
    const sessionId = session === undefined ? undefined : (await sessions.read(session)).id;
    return tokens.create(defined({ name, scope, sessionId, expiresInDays: expires }));
  });
  if (flags.json === true) return printer.json(created);
  printer.note(`Token ${created.id}. Keep it: it is not shown again.`);
  return printer.line(created.token);
}

export async function listTokens(flags: CommonFlags): Promise<void> {
  const printer = openPrinter(flags);
  const { tokens } = await withGateway(flags, "read", (gateway) => gateway.tokens.list());
  if (flags.json === true) return printer.json({ tokens });
  if (tokens.length === 0 && printer.isForPeople)
    return printer.note(
      `No tokens. Create one with: ${commandLine("token create --name NAME --scope admin")}`,
    );
  return printer.table(
    tokens.map((token) => [
      token.id,
      token.name,
      token.scope,
      token.sessionId ?? "all",
      stateOf(token),
      printer.ago(token.createdAt),
      token.lastUsedAt === null ? "never" : printer.ago(token.lastUsedAt),
      token.expiresAt ?? "never",
    ]),
    [
      "ID",
      { title: "NAME", flexible: true },
      "SCOPE",
      "SESSIONS",
      "STATE",
      "CREATED",
      "USED",
      "EXPIRES",
    ],
  );
}

function stateOf({ revokedAt, expiresAt }: Token): string {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? "expired" : "good";
}

export async function revokeToken(id: string, flags: CommonFlags): Promise<void> {
  const printer = openPrinter(flags);
  const revoked = await withGateway(flags, "change", ({ tokens }) => tokens.revoke(id));
  printer.result(revoked, `${revoked.name} is revoked. Servers refuse it within seconds.`);
}
