import { RequestError } from "@agentclientprotocol/sdk/unstable";
import {
  ConnectionError,
  errorText,
  HoldfastError,
  type HoldfastErrorCode,
} from "@holdfast/client";

/** The codes of JSON-RPC and of the protocol. */
export const RPC = {
  invalidRequest: -32_600,
  invalidParams: -32_602,
  internalError: -32_603,
  authRequired: -32_000,
  resourceNotFound: -32_002,
} as const;

const MISSING: ReadonlySet<HoldfastErrorCode> = new Set(["session_not_found", "message_not_found"]);

/** The error as the editor shows it: the sentence of the server, and its code for programs. */
export function toRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  if (error instanceof HoldfastError)
    return new RequestError(rpcCode(error), error.detail, { code: error.code });
  if (error instanceof ConnectionError)
    return new RequestError(
      RPC.internalError,
      `The Holdfast server does not answer: ${error.message}`,
      {
        code: error.code,
      },
    );
  return new RequestError(RPC.internalError, errorText(error));
}

export function invalidParams(message: string): RequestError {
  return new RequestError(RPC.invalidParams, message);
}

function rpcCode({ code, status }: HoldfastError): number {
  if (code === "unauthorized") return RPC.authRequired;
  if (MISSING.has(code)) return RPC.resourceNotFound;
  if (status >= 500) return RPC.internalError;
  return status === 409 || status === 403 ? RPC.invalidRequest : RPC.invalidParams;
}
