import { AT } from "./session-model.ts";

export const NODE = {
  id: "n",
  name: "one",
  version: "1.2.3",
  labels: ["gpu"],
  capacity: 5,
  busy: 1,
  alive: true,
  draining: false,
  drained: false,
  startedAt: AT,
  self: true,
};
export const TOKEN = {
  id: "t",
  name: "ci",
  scope: "read",
  sessionId: null,
  createdAt: AT,
  lastUsedAt: null,
  expiresAt: null,
  revokedAt: null,
};
