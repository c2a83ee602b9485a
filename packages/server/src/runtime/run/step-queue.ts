/** Steps that must happen one after the other. */
export interface StepQueue {
  /** Resolves when the step and all before it are done; never rejects. */
  add(step: () => Promise<void>): Promise<void>;
  /** Resolves when all that was added so far is done. */
  readonly settled: Promise<void>;
  /** So many steps wait that no more should be added before `settled`. */
  readonly isFull: boolean;
}

/** Beyond this many, whoever adds steps is to wait. */
const MAX_STEPS = 64;

export function createStepQueue(onFailure: (error: unknown) => void): StepQueue {
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;
  return {
    add(step) {
      waiting += 1;
      last = last
        .then(step)
        .catch(onFailure)
        .finally(() => {
          waiting -= 1;
        });
      return last;
    },
    get settled() {
      return last;
    },
    get isFull() {
      return waiting > MAX_STEPS;
    },
  };
}
