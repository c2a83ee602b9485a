import type { AgentCapabilities } from "@agentclientprotocol/sdk/unstable";

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
