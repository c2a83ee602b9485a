import type { Workspace } from "../providers/provider.ts";

/** A folder in which agents work, held open for the start of an agent. */
export interface OpenWorkspace extends Workspace {
  close(): Promise<void>;
}
