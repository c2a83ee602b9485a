/** The rows of the table. */
export const PEER_MEASURES = {
  firstSession: { name: "start → first session created", unit: "ms" },
  recovery: { name: "`kill -9` → next message answered", unit: "ms" },
  kept: { name: "`kill -9` during an answer: of 150 shown pieces, kept", unit: "" },
  toAgent: { name: "message → its agent or model has read it, p50", unit: "ms" },
  firstToken: { name: "first token → client, p50", unit: "ms" },
  endOfTurn: { name: "last word → turn ended, p50", unit: "ms" },
  turnCpu: { name: "CPU of a turn with one piece of text", unit: "ms" },
  throughput: { name: "pieces of text, one client", unit: "/s" },
  createInRow: { name: "create, back to back, p50", unit: "ms" },
  createRate: { name: "create, 32 concurrent", unit: "/s" },
  last50: { name: "last 50 messages of a long conversation, p50", unit: "ms" },
} as const;

export type PeerMeasure = keyof typeof PEER_MEASURES;

export const PEER_MEASURE_IDS: readonly PeerMeasure[] = Object.keys(PEER_MEASURES).filter(
  (key): key is PeerMeasure => key in PEER_MEASURES,
);

/** The figures of one repetition. */
export type PeerReadings = Partial<Readonly<Record<PeerMeasure, number>>>;
