import type { OpenSuspension } from "@holdfast/protocol";

/** The tool call that a suspension belongs to. */
export function callOf({ request }: Pick<OpenSuspension, "request">): string | null {
  const { toolCallId } = request;
  return typeof toolCallId === "string" ? toolCallId : null;
}
