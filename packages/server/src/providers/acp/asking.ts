/**
 * Whether a person can be asked: `now` during a prompt; `soon` between the start and the first prompt, where agents log in
 * to MCP servers; `cancelling` while a prompt is being cancelled; `no` before the session is open and after a prompt.
 */
export type Asking = "now" | "soon" | "cancelling" | "no";
