import { createHash } from "node:crypto";

/**
 * The ID of the suspension for what an agent asks. Servers that read the same request of an agent give it the same ID, so
 * that it is asked once. It is a UUID of version 8.
 */
export function suspensionIdOf(requestId: string): string {
  const bytes = createHash("sha256").update(requestId).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ];
  return parts.join("-");
}
