/** An error reply of the other side. A handler throws it to reply with an error. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = "RpcError";
    this.code = code;
    this.data = data;
  }
}

/** A request without a reply. */
export class PeerFault extends Error {
  readonly code: "closed" | "timed_out" | "aborted" | "overflow" | "unreadable";

  constructor(code: PeerFault["code"], message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = "PeerFault";
    this.code = code;
  }
}

export const RPC_CODES = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  authRequired: -32000,
  notFound: -32002,
  unsupportedVersion: -32022,
  requestCancelled: -32800,
} as const;
