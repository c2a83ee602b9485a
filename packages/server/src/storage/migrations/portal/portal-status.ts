export type MovedStatus = "active" | "suspended" | "archived" | "error";

/** Ruling on the five old statuses: users can always go on, and only users put away. */
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
