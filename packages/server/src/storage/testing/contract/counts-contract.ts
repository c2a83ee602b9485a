import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { STATUSES, type Status } from "../../../domain/status.ts";
import type { Store } from "../../store.ts";
import type { SessionCounts } from "../../ports/session-store.ts";
import { openRaw } from "../raw-database.ts";
import { beginSession, type SessionDriver } from "../session-driver.ts";
import { addRepo, withStore, type OpenTestStore } from "./shared-store.ts";

/** The numbers of sessions in lists, badges and health. */
export function countsContract(open: OpenTestStore): void {
  describe("the counts of sessions", () => {
    it("A9 leave archived ones out of the badge, and the default list leaves them out too", async () => {
      await withStore(open, async ({ store, repo }) => {
        const sessions = await Promise.all(
          Array.from({ length: 6 }, () => beginSession(store, { repoId: repo.id })),
        );
        const [first, second, third, fourth] = sessions;
        await first?.perform({ type: "archive" });
        await second?.perform({ type: "archive" });
        await third?.perform({ type: "fail", reason: "broken" });
        await fourth?.perform({ type: "suspend", cause: "shutdown" });
        const counts = { active: 2, suspended: 1, archived: 2, error: 1, badge: 3 };
        const page = await store.listSessions({ statuses: ["active", "suspended"], limit: 20 });
        expect(page).toMatchObject({ total: 3, counts });
        expect(page.sessions.map(({ status }) => status).toSorted()).toEqual([
          "active",
          "active",
          "suspended",
        ]);
        const archived = await store.listSessions({ statuses: ["archived"], limit: 20 });
        expect(archived.sessions.map(({ id }) => id).toSorted()).toEqual(
          sessions
            .slice(0, 2)
            .map(({ id }) => id)
            .toSorted(),
        );
        expect(archived).toMatchObject({ total: 2, counts });
        expect(await store.health()).toEqual({ schema: expect.any(String), setAside: 0, counts });
      });
    });

    it("equal a count of the single sessions after any change", async () => {
      await withStore(open, async ({ store, location }) => {
        const repos = [(await addRepo(store)).id, (await addRepo(store)).id, null];
        const raw = await openRaw(location);
        const sessions: SessionDriver[] = [];
        await fc.assert(
          fc.asyncProperty(
            fc.array(fc.tuple(anyHappening, fc.nat(50)), { maxLength: 8 }),
            async (happenings) => {
              for (const [happening, choice] of happenings) {
                const session = sessions[choice % Math.max(sessions.length, 1)];
                const repoId = repos[choice % 3] ?? null;
                if (happening === "create" || session === undefined) {
                  sessions.push(await beginSession(store, { repoId }));
                } else if (happening === "set aside") {
                  await raw.run(
                    `update "AgentSession" set "metadata" = '[]' where "id" = '${session.id}'`,
                  );
                  await store.load(session.id);
                  sessions.splice(sessions.indexOf(session), 1);
                } else if (happening === "delete") {
                  await session.perform({ type: "delete" });
                  sessions.splice(sessions.indexOf(session), 1);
                } else {
                  await changeStatus(session, happening);
                }
              }
              await compare(store, { sessions, repos });
            },
          ),
          { numRuns: 15, endOnFailure: true },
        );
        await raw.close();
      });
    });
  });
}

type Happening = "create" | "delete" | "set aside" | "archive" | "fail" | "suspend" | "resume";

const anyHappening = fc.constantFrom<Happening>(
  "create",
  "create",
  "create",
  "delete",
  "set aside",
  "archive",
  "fail",
  "suspend",
  "suspend",
  "resume",
);

async function changeStatus(
  session: SessionDriver,
  type: Exclude<Happening, "create" | "delete" | "set aside">,
): Promise<void> {
  const { status } = (await session.stored()).session.standing;
  if (status === "archived" || status === "error") return;
  if (type === "fail") await session.perform({ type, reason: "broken" });
  else if (type === "suspend") await session.perform({ type, cause: "crash" });
  else await session.perform({ type });
}

async function compare(
  store: Store,
  { sessions, repos }: { sessions: readonly SessionDriver[]; repos: readonly (string | null)[] },
): Promise<void> {
  const stored = await Promise.all(
    sessions.map(async (session) => (await session.stored()).session),
  );
  const count = (statuses: readonly Status[], repoId?: string) =>
    stored.filter(
      (one) =>
        statuses.includes(one.standing.status) && (repoId === undefined || one.repoId === repoId),
    ).length;
  const counts: SessionCounts = {
    active: count(["active"]),
    suspended: count(["suspended"]),
    archived: count(["archived"]),
    error: count(["error"]),
    badge: count(["active", "suspended"]),
  };
  expect((await store.health()).counts).toEqual(counts);
  expect(await store.listSessions({ limit: 0 })).toMatchObject({ total: sessions.length, counts });
  for (const statuses of [
    ["active"],
    ["suspended", "error"],
    ["archived"],
    [...STATUSES],
  ] as Status[][]) {
    expect((await store.listSessions({ limit: 0, statuses })).total).toBe(count(statuses));
    for (const repoId of repos) {
      if (repoId === null) continue;
      expect((await store.listSessions({ limit: 0, statuses, repoId })).total).toBe(
        count(statuses, repoId),
      );
    }
  }
}
