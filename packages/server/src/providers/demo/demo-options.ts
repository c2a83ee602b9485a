import type { Memory } from "./demo-memory.ts";

export const DEMO_MODES = [
  { id: "ask", name: "Ask", description: "Asks before it changes or runs anything" },
  { id: "auto", name: "Auto", description: "Asks nothing" },
] as const;

export const DEMO_MODELS = [
  { id: "demo-fast", name: "Demo, fast", description: "Answers at once" },
  { id: "demo-thoughtful", name: "Demo, thoughtful", description: "Takes its time" },
] as const;

/** What a session can be set to, as the protocol lists it. */
export function configOptions({ mode, model }: Memory): readonly object[] {
  return [
    select({ id: "mode", name: "Mode", current: mode, choices: DEMO_MODES }),
    select({ id: "model", name: "Model", current: model, choices: DEMO_MODELS }),
  ];
}

export function modesOf({ mode }: Memory): object {
  return { currentModeId: mode, availableModes: DEMO_MODES };
}

function select({
  id,
  name,
  current,
  choices,
}: {
  id: string;
  name: string;
  current: string;
  choices: typeof DEMO_MODES | typeof DEMO_MODELS;
}): object {
  const options = choices.map((choice) => ({
    value: choice.id,
    name: choice.name,
    description: choice.description,
  }));
  return { id, name, category: id, type: "select", currentValue: current, options };
}
