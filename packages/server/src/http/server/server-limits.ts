import { LIMITS, type ServerLimits } from "@holdfast/protocol";
import { BUNDLE_LIMITS } from "../../runtime/bundle/bundle-limits.ts";
import type { Limits } from "../../runtime/context.ts";

/** The maximum size of a body, except a bundle. */
export const MAX_BODY_BYTES = 2 * 1024 * 1024;

/** The configured limits and those of the API. */
export function serverLimits(limits: Limits): ServerLimits {
  const { liveAgents, streams, queue, retries, idleMs, silentMs, permissionMs } = limits;
  const { messageBytes, messageParts, metadataBytes } = LIMITS;
  return {
    liveAgents,
    streams,
    queue,
    retries,
    idleMs,
    silentMs,
    permissionMs,
    messageBytes,
    messageParts,
    metadataBytes,
    bodyBytes: MAX_BODY_BYTES,
    bundleBytes: BUNDLE_LIMITS.totalLength,
  };
}
