import type { ClientCapabilities } from "@agentclientprotocol/sdk";

/**
 * Agents offer a login at a terminal only to clients that declare it. `holdfast login` runs it. OpenCode and older agents
 * look for the field of `_meta`.
 */
export const TERMINAL_LOGINS = {
  auth: { terminal: true },
  _meta: { "terminal-auth": true },
} as const satisfies ClientCapabilities;
