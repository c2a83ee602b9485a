/** Lets calls for one folder run one after the other. */
export function createTurns(): <Value>(
  folder: string,
  act: () => Promise<Value>,
) => Promise<Value> {
  const turns = new Map<string, Promise<unknown>>();
  return (folder, act) => {
    const turn = (turns.get(folder) ?? Promise.resolve()).then(act);
    const settled = turn
      .catch(() => {})
      .then(() => {
        if (turns.get(folder) === settled) turns.delete(folder);
      });
    turns.set(folder, settled);
    return turn;
  };
}
