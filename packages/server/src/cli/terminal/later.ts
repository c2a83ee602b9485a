/** Calls back after a while; returns how to call that off. */
export type Later = (ms: number, callback: () => void) => () => void;

export const later: Later = (ms, callback) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};
