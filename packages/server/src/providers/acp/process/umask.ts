/** Nothing for the group and for others. */
const PRIVATE = 0o077;

let usersUmask: number | null = null;

/** From now on, files of this process are for their owner only, whatever mode they are created with. */
export function keepFilesPrivate(): void {
  usersUmask ??= process.umask(PRIVATE);
}

/** The umask for agents; null if it is that of this process. */
export function umaskOfUser(): number | null {
  return usersUmask;
}

/** Agents get this umask from now on. */
export function setUmaskOfUser(umask: number): void {
  usersUmask = umask;
}

/**
 * Starts a process with the user's own umask: an agent works on the user's files, which others may have to read. The
 * umask is changed only during the call.
 */
export function withUsersUmask<Value>(spawn: () => Value): Value {
  if (usersUmask === null) return spawn();
  process.umask(usersUmask);
  try {
    return spawn();
  } finally {
    process.umask(PRIVATE);
  }
}
