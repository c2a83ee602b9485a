/** Preloaded in every thread: shifts the clock by the offset in the control file. */
import { controlFile, readControl } from "./control.ts";

const POLL_MS = 20;
const file = controlFile();
const RealDate = Date;
const realNow = Date.now.bind(Date);
let { clockMs } = readControl(file);
setInterval(() => ({ clockMs } = readControl(file)), POLL_MS).unref();

const now = (): number => realNow() + clockMs;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: []) => (args.length === 0 ? new target(now()) : new target(...args)),
  get: (target, key, receiver) => (key === "now" ? now : Reflect.get(target, key, receiver)),
});
