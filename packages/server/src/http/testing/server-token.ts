/** The token of servers that a test starts with `TOKEN_ENV`, because its clients exist before the server. */
export const SERVER_TOKEN = "the-token-of-a-test-server";
export const TOKEN_ENV = { HOLDFAST_TOKEN: SERVER_TOKEN } as const;
export const BEARER = bearer(SERVER_TOKEN);

export function bearer(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` };
}
