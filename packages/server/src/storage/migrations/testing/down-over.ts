import { openMigrations, type DatabaseLocation } from "../../open-store.ts";

/** Rolls back until before that migration. */
export async function downOver(location: DatabaseLocation, migration: string): Promise<void> {
  const migrations = await openMigrations(location);
  for (;;) {
    const [step] = await migrations.down();
    if (step === undefined || step.name === migration) return;
  }
}
