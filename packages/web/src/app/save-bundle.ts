import { client } from "../api/client.ts";
import { saveFile } from "../api/save-file.ts";

/** Saves a session as a file. Throws when the bundle is incomplete. */
export async function saveBundle(sessionId: string): Promise<void> {
  const parts: string[] = [];
  for await (const line of client.sessions.export(sessionId)) parts.push(line, "\n");
  saveFile(parts, { name: `session-${sessionId}.jsonl`, type: "application/jsonl" });
}
