import { existsSync, rmSync, writeFileSync } from "node:fs";
import type { ScriptedAuth } from "./scripted-options.ts";
import type { Wire } from "./scripted-wire.ts";

/** The login of the scripted agent. Its file stands for stored credentials, which all its processes share. */
export interface ScriptedLogin {
  readonly isLoggedIn: boolean;
  /** It accepts sessions without a login, and refuses prompts. */
  readonly isAskedAtPrompt: boolean;
  /** What it adds to its capabilities. */
  readonly capabilities: object;
  /** Tells the client who is logged in, if it does that. */
  tellStatus(): void;
  /** True if the login succeeded. */
  logIn(methodId: unknown, requestId: unknown): Promise<boolean>;
  logOut(): void;
}

/** The login at a terminal, with `--login`. */
export function loginAtTerminal(auth: ScriptedAuth | undefined): never {
  if (auth?.file === undefined) process.exit(1);
  writeFileSync(auth.file, "logged in", { mode: 0o600 });
  if (auth.prints !== undefined) process.stdout.write(`${auth.prints}\n`);
  process.exit(0);
}

export function openLogin(auth: ScriptedAuth | undefined, wire: Wire): ScriptedLogin {
  const { file, page, reportsStatus = false, atPrompt = false } = auth ?? {};
  let isAccepted = auth === undefined;
  const tellStatus = (): void => {
    if (!reportsStatus) return;
    const status = login.isLoggedIn
      ? { kind: "account", label: "Scripted Plus", account: { email: "ada@example.org" } }
      : { kind: "none", label: "Not logged in" };
    wire.send({ method: "_auth/status_update", params: { authStatus: status } });
  };
  const login: ScriptedLogin = {
    get isLoggedIn() {
      return isAccepted || (file !== undefined && existsSync(file));
    },
    isAskedAtPrompt: atPrompt,
    capabilities: {
      ...(file === undefined ? {} : { auth: { logout: {} } }),
      ...(reportsStatus ? { _meta: { authStatus: {} } } : {}),
    },
    tellStatus,
    logIn: async (methodId, requestId) => {
      if (methodId !== auth?.accepts) return false;
      if (page !== undefined) {
        const params = { mode: "url", requestId, elicitationId: "login-1", ...page };
        const { answer } = wire.ask("elicitation/create", params);
        const { result } = await answer;
        if ((result as { action?: string } | undefined)?.action !== "accept") return false;
        // The person types the code elsewhere; that writes the file.
        while (page.waits === true && !login.isLoggedIn)
          await new Promise((resolve) => {
            setTimeout(resolve, 10);
          });
      }
      isAccepted = true;
      if (file !== undefined) writeFileSync(file, "logged in", { mode: 0o600 });
      tellStatus();
      return true;
    },
    logOut: () => {
      isAccepted = false;
      if (file !== undefined) rmSync(file, { force: true });
      tellStatus();
    },
  };
  return login;
}
