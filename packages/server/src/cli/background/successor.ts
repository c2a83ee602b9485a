import { spawn } from "node:child_process";
import { withUsersUmask } from "../../providers/acp/process/umask.ts";
import { PROGRAM_FILE } from "../version.ts";

/** Starts the server that replaces this process, with the same settings. It waits until this one has ended. */
export function startSuccessor(): void {
  const args = process.argv.slice(2).filter((word) => word !== "--takeover");
  const child = withUsersUmask(() =>
    spawn(process.execPath, [PROGRAM_FILE, ...args, "--takeover"], {
      detached: true,
      stdio: "inherit",
    }),
  );
  child.once("error", () => {});
  child.unref();
}
