import type { Phase } from "@holdfast/protocol";

export const PHASE_NAMES = {
  initializing: "Initializing",
  investigating: "Investigating",
  planning: "Planning",
  approval: "Approval",
  executing: "Executing",
  validating: "Validating",
  completed: "Completed",
  failed: "Failed",
  abandoned: "Abandoned",
} as const satisfies Record<Phase, string>;
