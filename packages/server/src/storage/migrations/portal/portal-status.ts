export type MovedStatus = "active" | "suspended" | "archived" | "error";

/** A user can continue every session, except one that a user cancelled or archived, or that failed. */
export function statusFromPortal(status: unknown): MovedStatus {
  switch (status) {
    case "cancelled":
    case "archived":
      return "archived";
    case "suspended":
      return "suspended";
    case "error":
      return "error";
    default:
      return "active";
  }
}

export function statusInPortal(status: string): string {
  return status === "archived" ? "cancelled" : status;
}
