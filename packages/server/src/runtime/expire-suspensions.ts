import { openSuspensionsOf, type Session } from "../domain/session.ts";
import type { RuntimeContext } from "./context.ts";

/** What was waited for until now, and no longer. */
export async function expireSuspensions(
  { clock, execute }: Pick<RuntimeContext, "clock" | "execute">,
  session: Session | null,
): Promise<void> {
  if (session === null) return;
  const now = clock();
  for (const { id, expiresAt } of openSuspensionsOf(session)) {
    if (expiresAt === null || expiresAt > now) continue;
    await execute({
      sessionId: session.id,
      command: { type: "close-suspension", at: now, suspensionId: id, how: "expired" },
    });
  }
}

/** Timers cannot be set further ahead than some weeks; then it is looked at again. */
export function delayUntil(at: number, now: number): number {
  return Math.min(Math.max(0, at - now), 2 ** 31 - 1);
}
