import { createClient, type Tokens } from "@holdfast/client";
import { createTokenRequestSchema } from "@holdfast/protocol";
import { v7 as newId } from "uuid";
import { fromWireCreateToken } from "../../http/wire/from-wire.ts";
import { toWireToken } from "../../http/wire/to-wire.ts";
import { openAccessTokens } from "../../runtime/tokens/access-tokens.ts";
import { checked, given } from "./database-desk.ts";
import { deskSettings, findServer, type DeskFlags } from "./find-server.ts";
import { openDatabase, type DatabaseAccess } from "./open-desk.ts";

export interface TokenDesk extends Tokens {
  close(): Promise<void>;
}

/** Through the server that uses the named database when one runs, else on the database itself. */
export async function openTokenDesk(
  flags: DeskFlags,
  { access }: { readonly access: DatabaseAccess },
): Promise<TokenDesk> {
  const settings = deskSettings(flags);
  const server = await findServer(flags, settings);
  if (server !== null) {
    const client = createClient({ url: server.url, token: server.token ?? undefined });
    return { ...client.tokens, close: async () => {} };
  }
  const store = await openDatabase(settings, { access });
  const tokens = openAccessTokens({
    store,
    clock: Date.now,
    newId,
    hasOtherAdmin: settings.token !== null,
  });
  return {
    list: async () => ({ tokens: (await tokens.list()).map(toWireToken) }),
    create: async (request) => {
      const wish = fromWireCreateToken(checked(createTokenRequestSchema, request));
      const { token, secret } = given(await tokens.create(wish));
      return { ...toWireToken(token), token: secret };
    },
    revoke: async (id) => toWireToken(given(await tokens.revoke(id)).token),
    close: store.close,
  };
}
