/** Who uses a door: another protocol that uses the API for its callers, with their rights. */
export interface DoorCaller {
  /** Equal for requests of the same caller. */
  readonly key: string;
  /** Whether it came over the server's Unix socket, where no token is needed. */
  readonly via: "socket" | "address";
  /** The `Authorization` of its requests; null if it has none. */
  readonly authorization: string | null;
}
