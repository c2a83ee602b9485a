import { describe, expect, it } from "vitest";
import { openStopRequests, orStop } from "./stop-requests.ts";
import { fakeTerminal, handClock } from "./testing/fake-terminal.ts";

describe("requests to stop", () => {
  it("arrive in order, also before they are awaited, and from keys", async () => {
    const { terminal, signal, listeners } = fakeTerminal();
    const stops = openStopRequests(terminal);
    signal("SIGINT");
    signal("SIGTERM");
    const taken = [await stops.next(), await stops.next()];
    const waiting = stops.next();
    stops.press();
    taken.push(await waiting);
    terminal.stdout.stream.emit("error", new Error("EPIPE"));
    taken.push(await stops.next());
    expect(taken).toEqual(["interrupt", "terminate", "interrupt", "hangup"]);
    stops.close();
    expect(listeners()).toBe(0);
  });

  it("are awaited for a limited time", async () => {
    const { terminal, signal } = fakeTerminal();
    const { later, pass, waiting } = handClock();
    const stops = openStopRequests(terminal);
    const none = stops.within(2_000, later);
    await pass(2_000);
    expect(await none).toBeNull();
    const one = stops.within(2_000, later);
    signal("SIGINT");
    expect([await one, waiting()]).toEqual(["interrupt", []]);
    stops.close();
  });

  it("end the current work, and go to the latest waiting call", async () => {
    const { terminal, signal } = fakeTerminal();
    const stops = openStopRequests(terminal);
    expect(await orStop(Promise.resolve("done"), stops)).toBe("done");
    const next = stops.next();
    signal("SIGHUP");
    expect(await next).toBe("hangup");
    signal("SIGTERM");
    expect(await orStop(new Promise(() => {}), stops)).toBe(143);
    stops.close();
  });
});
