import { describe, expect, it } from "vitest";
import { beginSession, createCommand } from "../session-driver.ts";
import { withStore, type OpenTestStore } from "./shared-store.ts";

/** Sessions with an ID of the orchestrator. */
export function agentIdContract(open: OpenTestStore): void {
  describe("agent ids", () => {
    it("B1 identify the session like its own ID, and nothing after its deletion", async () => {
      await withStore(open, async ({ store }) => {
        const agentId = "agent-20260108-180530-abc12345";
        const named = await beginSession(store, { agentId });
        const other = await beginSession(store, {});

        expect((await named.stored()).session.agentId).toBe(agentId);
        expect((await other.stored()).session.agentId).toBe(null);
        expect(await store.findSession(agentId)).toBe(named.id);
        expect(await store.findSession(named.id)).toBe(named.id);
        expect(await store.findSession("agent-unknown")).toBe(null);

        await named.perform({ type: "delete" });
        expect(await store.findSession(agentId)).toBe(null);
      });
    });

    it("B1 belong to one session each; the first one keeps it", async () => {
      await withStore(open, async ({ store }) => {
        const commits = await Promise.all(
          Array.from({ length: 8 }, () => {
            const { type: _, ...given } = createCommand({ agentId: "agent-1" });
            return store.commit({
              before: null,
              events: [{ ...given, type: "session.created", at: 1 }],
            });
          }),
        );

        expect(commits.filter(({ ok }) => ok)).toHaveLength(1);
        expect(commits.filter(({ ok }) => !ok)).toEqual(
          Array.from({ length: 7 }, () => ({ ok: false, refused: "agent_id_taken" })),
        );
        expect((await store.listSessions({ limit: 10 })).total).toBe(1);
      });
    });
  });
}
