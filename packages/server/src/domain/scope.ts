/** The scopes of tokens. Each includes the ones before it. `approve` decides for people what agents may do. */
export const SCOPES = ["read", "send", "approve", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

export function includes(scope: Scope, needed: Scope): boolean {
  return SCOPES.indexOf(scope) >= SCOPES.indexOf(needed);
}
