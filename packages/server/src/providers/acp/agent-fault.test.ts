import { describe, expect, it } from "vitest";
import type { AgentFault } from "../provider.ts";
import { faultOfError, faultOfExit } from "./agent-fault.ts";
import { RpcError } from "./wire/rpc-error.ts";

function judged(code: number, data?: unknown, message = "m"): object {
  return toValue(faultOfError("Tool", new RpcError(code, message, data)));
}

function toValue({ code, message, detail, isPassing, retryAfterMs }: AgentFault): object {
  return { code, message, detail, isPassing, retryAfterMs };
}

const passing = { message: "Tool: m", isPassing: true, retryAfterMs: null };
const lasting = { message: "Tool: m", isPassing: false, retryAfterMs: null };

describe("an agent's error", () => {
  it("is a required login by its code", () => {
    expect(judged(-32000)).toEqual({ ...lasting, code: "agent_needs_login", detail: null });
  });

  it("is a rate limit by its code or by the status in its data (C4)", () => {
    const limited = { ...passing, code: "agent_rate_limited" };
    expect(judged(429)).toEqual({ ...limited, detail: null });
    for (const data of [{ status: 429 }, { statusCode: 429 }, { code: 429 }, { status: "429" }]) {
      expect(judged(-32603, data)).toEqual({ ...limited, detail: JSON.stringify(data) });
    }
  });

  it("contains the delay before a retry, in milliseconds or seconds", () => {
    const waits = [
      [{ status: 429, retryAfterMs: 1500 }, 1500],
      [{ status: 429, retryAfter: 2 }, 2000],
      [{ status: 429, retry_after: "3" }, 3000],
      [{ status: 429, retryAfter: "soon" }, null],
      [{ status: 429, retryAfterMs: -1 }, null],
    ] as const;
    for (const [data, retryAfterMs] of waits)
      expect(judged(1, data)).toMatchObject({ retryAfterMs });
  });

  it("is a lost connection by its status or by the code of the system (C4)", () => {
    const codes = [500, 502, 503, 504, 529, "ECONNRESET", "ECONNREFUSED", "ETIMEDOUT"];
    for (const code of [...codes, "EAI_AGAIN", "ENETUNREACH", "EPIPE", "UND_ERR_SOCKET"]) {
      expect(judged(-32603, { code })).toMatchObject({ ...passing, code: "agent_disconnected" });
    }
    expect(judged(503)).toMatchObject({ ...passing, code: "agent_disconnected" });
  });

  it("is classified by codes, never by its text", () => {
    const words = "429 rate limit exceeded, 503, ECONNRESET, please log in";
    expect(judged(-32603, { details: words }, words)).toEqual({
      ...lasting,
      code: "agent_failed",
      message: `Tool: ${words}`,
      detail: JSON.stringify({ details: words }),
    });
  });

  it("is limited in length (P6)", () => {
    const long = new RpcError(1, `oh ${"x".repeat(5000)}\0`, { all: "y".repeat(50_000) });
    const fault = faultOfError("Tool", long);
    expect(fault.message).toHaveLength(2006);
    expect(fault.detail).toHaveLength(16 * 1024);
  });
});

describe("the exit of an agent", () => {
  it("is described by code or signal, with the end of stderr", () => {
    expect(toValue(faultOfExit("Tool", { code: 3, signal: null }, "oh no"))).toEqual({
      code: "agent_exited",
      message: "Tool exited with code 3",
      detail: "oh no",
      isPassing: false,
      retryAfterMs: null,
    });
    expect(faultOfExit("Tool", { code: null, signal: "SIGKILL" }, null).message).toBe(
      "Tool was terminated by SIGKILL",
    );
  });
});
