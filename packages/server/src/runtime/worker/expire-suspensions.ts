import { openSuspensionsOf, type Session } from "../../domain/session.ts";
import type { RuntimeContext } from "../context.ts";

/** What was waited for until now, and no longer. Never rejects: the next look comes back to what is still open. */
export async function expireSuspensions(
  context: Pick<RuntimeContext, "store" | "clock" | "execute" | "log">,
  sessionId: string,
): Promise<void> {
  try {
    const loaded = await context.store.load(sessionId);
    if (loaded.found === "session") await expireIn(context, loaded.stored.session);
  } catch (err) {
    context.log.error({ sessionId, err }, "what a session waited for could not be closed");
  }
}

async function expireIn(
  { clock, execute }: Pick<RuntimeContext, "clock" | "execute">,
  session: Session,
): Promise<void> {
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
