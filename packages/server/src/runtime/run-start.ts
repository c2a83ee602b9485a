import type { RunStart } from "../domain/run.ts";

/** Which agent a run gets: what its message asks for, else what the session prefers, else the default. */
export function runStart(
  wish: { readonly provider: string | null; readonly model: string | null },
  {
    session,
    defaultProvider,
  }: {
    readonly session: { readonly provider: string | null; readonly model: string | null };
    readonly defaultProvider: string;
  },
): RunStart {
  const preferred = session.provider ?? defaultProvider;
  const provider = wish.provider ?? preferred;
  // A preferred model belongs to the preferred provider.
  const model = wish.model ?? (provider === preferred ? session.model : null);
  return { provider, model, handed: false };
}
