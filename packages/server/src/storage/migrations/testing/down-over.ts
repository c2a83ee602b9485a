import { openMigrations, type DatabaseLocation } from "../../open-store.ts";

/** Back to before that migration. */
export async function downOver(location: DatabaseLocation, migration: string): Promise<void> {
  const migrations = await openMigrations(location);
  for (;;) {
    const [step] = await migrations.down();
    if (step === undefined || step.name === migration) return;
  }
}
