import type { AgentReport, PermissionRequest } from "../../provider.ts";
import type { AgentAbout } from "./about.ts";

/** Turns what one agent says in the protocol into reports. It keeps what is open between calls, and never throws. */
export interface Translator {
  /** What the updates so far have told about the agent: commands, modes, models. */
  readonly about: AgentAbout;
  /** The `update` of a `session/update`, as it came. */
  update(update: unknown): readonly AgentReport[];
  /** The params of a `session/request_permission`; null when they cannot be understood. `reports` go out first. */
  permission(params: unknown): TranslatedPermission | null;
  /** Ends what is still open when a prompt is over. */
  endPrompt(how: "completed" | "cancelled" | "failed"): readonly AgentReport[];
}

export interface TranslatedPermission {
  readonly request: PermissionRequest;
  /** Of tool and canonical input: equal when the agent asks for the same again. */
  readonly fingerprint: string;
  readonly reports: readonly AgentReport[];
}
