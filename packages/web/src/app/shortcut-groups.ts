export interface ShortcutGroup {
  readonly name: string;
  readonly shortcuts: readonly Shortcut[];
}

export interface Shortcut {
  readonly action: string;
  /** One or more alternatives, each a sequence of keys. */
  readonly keys: readonly (readonly string[])[];
}

/** All shortcuts by the place where they work. `command` is the platform's command key. */
export function shortcutGroups(command: string): readonly ShortcutGroup[] {
  return [
    group("Everywhere", [
      ["Commands", [command, "K"]],
      ["New session", ["C"]],
      ["Next session that needs you", ["Alt", "J"]],
      ["Previous session that needs you", ["Alt", "K"]],
      ["Go to sessions", ["G", "S"]],
      ["Go to the inbox", ["G", "I"]],
      ["Go to analytics", ["G", "A"]],
      ["Go to settings", ["G", ","]],
      ["Close a dialog or menu", ["Esc"]],
      ["This list", ["?"]],
    ]),
    group("List of sessions", [
      ["Search", ["/"]],
      ["Next", ["J"], ["↓"]],
      ["Previous", ["K"], ["↑"]],
      ["Open", ["Enter"]],
      ["Select", ["X"]],
      ["Answer its request", ["A"]],
      ["Archive the selection, or this one", ["E"]],
      ["Clear selection", ["Esc"]],
    ]),
    group("Requests", [
      ["Allow once", ["1"]],
      ["Allow always", ["2"]],
      ["Reject", ["3"]],
      ["Further answers", ["4–9"]],
      ["Reject, inside the card", ["Esc"]],
      ["Send a written answer", ["Enter"]],
      ["Next card in the inbox", ["J"]],
      ["Previous card in the inbox", ["K"]],
    ]),
    group("In a session", [
      ["Show or hide the list", ["["]],
      ["Find in the session", [command, "F"], ["/"]],
      ["Show or hide the panel", ["]"]],
      ["Your previous message", ["Alt", "↑"]],
      ["Your next message", ["Alt", "↓"]],
      ["Stop the run", ["Esc"]],
    ]),
    group("While finding", [
      ["Previous match", ["Enter"]],
      ["Next match", ["Shift", "Enter"]],
      ["Close", ["Esc"]],
    ]),
    group("Writing a message", [
      ["Send, or queue", ["Enter"]],
      ["Interrupt and send", [command, "Enter"]],
      ["New line", ["Shift", "Enter"]],
      ["Agent commands", ["/"]],
      ["Recall your last message", ["↑"]],
      ["Next mode of the agent", ["Shift", "Tab"]],
      ["Leave the text box", ["Esc"]],
      ["Create, in a new session", [command, "Enter"]],
      ["Move in the queue", ["Alt", "↑"], ["Alt", "↓"]],
    ]),
  ];
}

function group(
  name: string,
  rows: readonly (readonly [action: string, ...keys: (readonly string[])[]])[],
): ShortcutGroup {
  return { name, shortcuts: rows.map(([action, ...keys]) => ({ action, keys })) };
}
