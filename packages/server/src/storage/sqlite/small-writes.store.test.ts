import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { beginSession, opening } from "../testing/session-driver.ts";
import { newMarks, openMarks } from "./own-marks.ts";
import { addRepo, migratedFile, openTestFile } from "./testing/test-file.ts";

describe("marks in the file", () => {
  it.each([true, false])(
    "distinguish writes of other processes from those of two connections of this process (leaves its own: %s)",
    async (leavesMarks) => {
      const file = await migratedFile();
      const [ours, alsoOurs, theirs] = [1, 2, 3].map(() => new DatabaseSync(file));
      if (ours === undefined || alsoOurs === undefined || theirs === undefined) throw new Error();
      const shared = newMarks();
      const [first, second] = [ours, alsoOurs].map((raw) =>
        openMarks(raw, shared, { leavesMarks }),
      );
      if (first === undefined || second === undefined) throw new Error();
      const foreign = openMarks(theirs, newMarks());
      let written = 0;
      const write = (raw: DatabaseSync, marks: ReturnType<typeof openMarks> | null): void => {
        raw.exec("begin immediate");
        marks?.leave();
        written += 1;
        raw.exec(`update "HoldfastMigration" set "timestamp" = '${written}'`);
        raw.exec("commit");
        marks?.keep();
      };

      for (let round = 0; round < 3; round += 1) {
        write(ours, first);
        write(alsoOurs, second);
        expect(first.hasOutsideWrites()).toBe(false);
        write(theirs, foreign);
        expect(first.hasOutsideWrites()).toBe(true);
        expect(first.hasOutsideWrites()).toBe(false);
        // Hidden by our later write.
        write(theirs, foreign);
        write(alsoOurs, second);
        write(ours, first);
        expect(first.hasOutsideWrites()).toBe(true);
        expect(first.hasOutsideWrites()).toBe(false);
        // By a program that leaves no mark.
        write(theirs, null);
        expect(first.hasOutsideWrites()).toBe(true);
        expect(first.hasOutsideWrites()).toBe(false);
      }
      for (const raw of [ours, alsoOurs, theirs]) raw.close();
    },
  );
});

describe("a short text of an agent", () => {
  it("is stored while another process writes, by the thread that may wait", async () => {
    const file = await migratedFile();
    const store = await openTestFile(file);
    const session = await beginSession(store, { repoId: await addRepo(store) });
    const sent = await session.run();
    await session.claim();
    const other = new DatabaseSync(file);
    other.exec("begin immediate");
    const said = session.put(sent, opening("m-1", "first words"));
    setTimeout(() => {
      other.exec("rollback");
      other.close();
    }, 300);
    expect(await said).toMatchObject({ ok: true });
  });
});
