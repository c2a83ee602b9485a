import { tmpdir } from "node:os";
import path from "node:path";

/** For programs that tests start from their sources: without their types and compiled, they start several times as fast. */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: path.join(tmpdir(), "node-compile-cache") };
