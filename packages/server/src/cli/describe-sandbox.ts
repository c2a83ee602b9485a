import type { Sandbox } from "../providers/sandbox/sandbox.ts";

/** Where agents are started, for whoever starts a server or asks what is wrong. */
export function describeSandbox({ state, madeWith }: Sandbox): string {
  const { mode, active, reason } = state;
  if (active) return `in a sandbox (${madeWith}); the network is shared`;
  return mode === "required"
    ? `are not started: a sandbox is required. ${reason}`
    : `without a sandbox. ${reason}`;
}
