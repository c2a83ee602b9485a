/** Asks a server to end without its agents: another server goes on with them. */
export const LET_GO_SIGNAL = "SIGUSR2";
