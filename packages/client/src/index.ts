export {
  applyEvent,
  applySuspension,
  applyToSession,
  MissingMessageError,
  type StreamEvent,
} from "./apply-event.ts";
export { createClient } from "./checked-client.ts";
export { connectionTo } from "./connection-to.ts";
export {
  createUncheckedClient,
  type Client,
  type ClientOptions,
  type Nodes,
  type Removed,
  type Tokens,
  type Repositories,
} from "./client.ts";
export type { BundleSource } from "./bundle-body.ts";
export type { CallOptions, WriteOptions } from "./connection.ts";
export type { OnConnection } from "./event-stream.ts";
export type { Followed } from "./follow.ts";
export { ConnectionError, HoldfastError, type HoldfastErrorCode } from "./holdfast-error.ts";
export type { Sessions, ToolOutput } from "./sessions.ts";
export { createNodeTransport } from "./node-transport.ts";
export { createSocketFetch } from "./socket-fetch.ts";
export type { ServerReply, Transport } from "./transport.ts";
export { backoffMs, defined, errorText, isObject } from "./helpers.ts";
