import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { ACPX, needClient } from "../agents/clients.ts";
import {
  openAcpx,
  updatesOf,
  type Acpx,
  type AcpxCommand,
  type AcpxResult,
} from "./acpx-client.ts";
import { ofKind, openEditorWorld, textOf, type EditorWorld } from "./editor-world.ts";

/** A server with a scripted agent, the client acpx, and what Holdfast's API says about a session. */
export interface AcpxWorld extends EditorWorld {
  readonly acpx: Acpx;
  /** The text of each message that is not of the user, by its ID. */
  texts(sessionId: string): Promise<Readonly<Record<string, unknown>>>;
  prompts(sessionId: string): Promise<readonly unknown[]>;
  /** The number of prompts that no agent has yet. */
  queued(sessionId: string): Promise<number>;
  /** How each run stands, and how often it was tried. */
  runs(sessionId: string): Promise<readonly string[]>;
}

export async function openAcpxWorld(): Promise<AcpxWorld> {
  const file = needClient(ACPX);
  const world = await openEditorWorld({ agents: { unattendedSeconds: 60 } });
  const acpx = openAcpx(world, file);
  const messagesOf = async (sessionId: string) =>
    (await world.client().sessions.get(sessionId)).messages;
  return {
    ...world,
    acpx,
    async texts(sessionId) {
      const messages = await messagesOf(sessionId);
      return Object.fromEntries(
        messages
          .filter(({ role, content }) => role !== "user" && content.type === "text")
          .map(({ id, content }) => [id, content["text"]]),
      );
    },
    async prompts(sessionId) {
      const messages = await messagesOf(sessionId);
      return messages.filter(({ role }) => role === "user").map(({ content }) => content["text"]);
    },
    async queued(sessionId) {
      return (await world.client().sessions.get(sessionId, { tail: 1 })).queued;
    },
    async runs(sessionId) {
      const { runs } = await world.client().sessions.runs(sessionId);
      return runs.map(({ status, attempts }) => `${status} ${attempts}`);
    },
    async end() {
      await acpx.end();
      await world.end();
    },
  };
}

/** The text of each message of the agent, by its ID, as the client was sent it. */
export function textsOf(updates: readonly SessionUpdate[]): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const { messageId, content } of ofKind(updates, "agent_message_chunk")) {
    if (messageId == null || content.type !== "text") continue;
    texts[messageId] = (texts[messageId] ?? "") + content.text;
  }
  return texts;
}

/** What the agent has said so far in a command at work. */
export function sayingOf(command: AcpxCommand): string {
  return textOf(updatesOf(command.lines()));
}

/** How a prompt ended. */
export function endOf({ code, lines }: AcpxResult): { code: number | null; result: unknown } {
  return { code, result: lines.at(-1)?.result };
}
