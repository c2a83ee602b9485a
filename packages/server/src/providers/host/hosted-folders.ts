import { closeSync, constants, openSync } from "node:fs";
import { errorText } from "../../domain/error-text.ts";
import { AgentFault, type Workspace } from "../provider.ts";
import type { HostedFolder } from "./host-protocol.ts";

/** Names the folder for the host. It opens the server's descriptor, so that a path that was replaced is not followed. */
export function toHostedFolder({ path, descriptor }: Workspace): HostedFolder {
  const isShared = descriptor !== null && process.platform === "linux";
  return { path, descriptor: isShared ? `/proc/${process.pid}/fd/${descriptor}` : null };
}

/** Opens the folders that a server has open. Throws an `AgentFault`. */
export function openHostedFolders(folders: readonly HostedFolder[]): {
  readonly workspaces: readonly Workspace[];
  readonly close: () => void;
} {
  const opened: number[] = [];
  const close = (): void => opened.forEach((descriptor) => closeSync(descriptor));
  try {
    const workspaces = folders.map(({ path, descriptor }): Workspace => {
      if (descriptor === null) return { path, descriptor };
      const own = openSync(descriptor, constants.O_RDONLY | constants.O_DIRECTORY);
      opened.push(own);
      return { path, descriptor: own };
    });
    return { workspaces, close };
  } catch (error) {
    close();
    const message = `The folder of the agent cannot be opened: ${errorText(error)}`;
    throw new AgentFault("agent_not_started", message, { cause: error, isPassing: true });
  }
}
