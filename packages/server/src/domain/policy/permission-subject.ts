/** The action an agent asks permission for, as far as the agent describes it. */
export interface PermissionSubject {
  readonly kind: string | null;
  readonly tool: string | null;
  /** All paths it names: relative inside the repository, absolute outside. */
  readonly paths: readonly string[];
  /** `exact`: the command line that would run. `shown`: only the agent's description of it. */
  readonly command: { readonly line: string; readonly is: "exact" | "shown" } | null;
  /** The folder in which the command would run, if the agent names it. */
  readonly folder: string | null;
  readonly fingerprint: string;
}
