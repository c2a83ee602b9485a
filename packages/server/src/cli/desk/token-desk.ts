import { createClient, type Tokens } from "@holdfast/client";
import { createTokenRequestSchema } from "@holdfast/protocol";
import { v7 as newId } from "uuid";
import { fromWireCreateToken } from "../../http/from-wire.ts";
import { toWireToken } from "../../http/to-wire.ts";
import { openAccessTokens } from "../../runtime/access-tokens.ts";
import { nearby } from "../nearby.ts";
import { serveSettings } from "../settings.ts";
import { checked, given } from "./database-desk.ts";
import { openDatabase, type DeskFlags } from "./open-desk.ts";

export interface TokenDesk extends Tokens {
  close(): Promise<void>;
}

/**
 * On the database even while a server runs on it: who can open that needs no token to make the first one,
 * nor the right one when it was lost. A server elsewhere is asked by its URL.
 */
export async function openTokenDesk(flags: DeskFlags): Promise<TokenDesk> {
  const settings = serveSettings(flags, process.env);
  if (flags.url !== undefined) {
    const client = createClient({ url: nearby(flags.url), token: settings.token ?? undefined });
    return { ...client.tokens, close: async () => {} };
  }
  const store = await openDatabase(settings);
  const tokens = openAccessTokens({ store, clock: Date.now, newId });
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
