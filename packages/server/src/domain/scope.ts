/** The scopes of tokens. Each includes the ones before it. */
export const SCOPES = ["read", "send", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

export function includes(scope: Scope, needed: Scope): boolean {
  return SCOPES.indexOf(scope) >= SCOPES.indexOf(needed);
}
