import { CommandFailure, EXIT } from "../exit.ts";
import type { LogFile } from "../log-file.ts";
import type { ServeSettings } from "../settings/settings.ts";
import { obtainToken } from "./token-file.ts";

/** Null when authentication is turned off, which is said where the user sees it. */
export function serverToken(
  { auth, token, dataFolder }: ServeSettings,
  logger: LogFile["logger"],
): string | null {
  if (auth === "token") return token ?? obtainToken(dataFolder);
  if (token !== null)
    throw new CommandFailure(
      'HOLDFAST_TOKEN is set, but authentication is turned off ("auth": "none"). Remove one of them.',
      EXIT.usage,
    );
  logger.warn("authentication is turned off");
  process.stderr.write(
    "holdfast: authentication is turned off: every program on this machine, including agents, can use this server as you.\n",
  );
  return null;
}
