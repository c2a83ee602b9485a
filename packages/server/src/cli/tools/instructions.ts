export const INSTRUCTIONS =
  "Holdfast keeps this session, which outlives every process. Report the kind of your work with " +
  "set_phase. When you cannot continue without a person or an event, call ask_human or " +
  "wait_for_event and end your turn: the answer comes with a later prompt. read_history shows " +
  "earlier messages.";
