import type { Command } from "../../domain/kernel/command.ts";
import { openSuspensionsOf, type Session } from "../../domain/session.ts";
import type { RuntimeContext } from "../context.ts";

/** Closes the suspensions whose time is up. The next look at the session finds those that it could not close. */
export async function expireSuspensions(
  { clock, execute, log }: Pick<RuntimeContext, "clock" | "execute" | "log">,
  sessionId: string,
): Promise<void> {
  const at = clock();
  const command = (session: Session | null): readonly Command[] =>
    (session === null ? [] : openSuspensionsOf(session))
      .filter(({ expiresAt }) => expiresAt !== null && expiresAt <= at)
      .map(({ id }) => ({ type: "close-suspension", at, suspensionId: id, how: "expired" }));
  await execute({ sessionId, command }).catch((err: unknown) => {
    log.error({ sessionId, err }, "the suspensions of a session could not be expired");
  });
}
