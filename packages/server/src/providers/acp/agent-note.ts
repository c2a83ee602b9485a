import type { JsonObject } from "../../domain/json.ts";
import type { LoginMethod } from "../login.ts";
import type { AcpLink } from "./acp-link.ts";
import type { OpenedSession } from "./open-session.ts";
import type { AgentAbout } from "./translate/about.ts";
import type { Usage } from "./translate/usage.ts";
import { looseObject } from "./wire/loose.ts";

/** Changes with every field of the note. A server does not take up an agent with a note of another version. */
const NOTE_VERSION = 1;

/** What a server must know to go on with an agent. It is kept with the agent when a prompt begins. */
export interface AgentNote {
  readonly noteVersion: typeof NOTE_VERSION;
  readonly session: OpenedSession;
  readonly about: AgentAbout;
  readonly loginMethods: readonly LoginMethod[];
  /** The ID of the last request before the prompt. */
  readonly lastId: number;
  /** What the agent has used before the prompt. */
  readonly usage: Usage;
  /** Our session, of an agent that was started before it had one. */
  readonly ownSessionId?: string;
  /** The caller's note about the prompt. */
  readonly prompt: JsonObject;
}

export function noteOf(
  { about, loginMethods, peer, translator }: AcpLink,
  session: OpenedSession,
  { prompt, ...own }: Pick<AgentNote, "prompt" | "ownSessionId">,
): AgentNote {
  return {
    noteVersion: NOTE_VERSION,
    session,
    about,
    loginMethods,
    lastId: peer.lastId,
    usage: translator.usage,
    prompt,
    ...own,
  };
}

export function isAgentNote(value: unknown): value is AgentNote {
  return looseObject(value)?.["noteVersion"] === NOTE_VERSION;
}
