import { PROTOCOL_VERSION, type AgentCapabilities } from "@agentclientprotocol/sdk/unstable";

export const agentCapabilities: AgentCapabilities = {
  loadSession: true,
  promptCapabilities: { image: true, audio: true, embeddedContext: true },
  mcpCapabilities: { http: true, sse: true },
  sessionCapabilities: {
    list: {},
    delete: {},
    fork: {},
    resume: {},
    close: {},
    additionalDirectories: {},
  },
};

/** The version that the editor wants, if it is spoken here; otherwise the latest that is. */
export function negotiatedVersion(wanted: number): number {
  return wanted === PROTOCOL_VERSION ? wanted : PROTOCOL_VERSION;
}
