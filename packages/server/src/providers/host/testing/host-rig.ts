import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import { findMarked, sweepAgents } from "../../acp/process/process-sweep.ts";
import {
  openAgentHost,
  type AgentHost,
  type AgentHostOptions,
  type FoundAgent,
} from "../agent-host.ts";
import type { StartHosted } from "../host-protocol.ts";
import type { HostedProcess } from "../hosted-process.ts";

/** A folder with a host, and servers that come and go. Everything is ended after the test. */
export interface HostRig {
  readonly folder: string;
  readonly owner: string;
  /** A server that finds the host. An earlier one must have left. */
  serve(options?: Partial<AgentHostOptions>): Promise<AgentHost>;
  /** A shell command as an agent. */
  agent(command: string): Omit<StartHosted, "id">;
  leftovers(): Promise<readonly number[]>;
}

export function openHostRig(): HostRig {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-host-"));
  const owner = `test-${randomUUID()}`;
  let last: AgentHost | null = null;
  const leftovers = (): Promise<readonly number[]> => findMarked({ owner });
  onTestFinished(async () => {
    await last?.close({ agents: "end" });
    const left = await leftovers();
    await sweepAgents({ owner });
    rmSync(folder, { recursive: true, force: true });
    expect(left).toEqual([]);
  });
  return {
    folder,
    owner,
    leftovers,
    serve: async (options = {}) => {
      last = await openAgentHost({ folder, version: "1.0.0", unattendedMs: 60_000, ...options });
      return last;
    },
    agent: (command) => {
      const marker = { owner, agent: randomUUID() };
      return {
        about: { sessionId: "session-1", provider: "shell", marker },
        command: {
          program: "/bin/sh",
          args: ["-c", command],
          env: {
            PATH: process.env["PATH"] ?? "",
            HOLDFAST_AGENT: `${marker.owner}:${marker.agent}`,
          },
        },
        isEnclosed: false,
        umask: null,
        workspace: { path: folder, descriptor: null },
        directories: [],
      };
    },
  };
}

/** Repeats each line that it gets. */
export const ECHO = 'while read -r line; do echo "got $line"; done';

/** Collects what an agent writes. */
export function collect({ stdout }: HostedProcess): { readonly text: () => string } {
  let text = "";
  stdout.on("data", (bytes: Buffer) => {
    text += bytes.toString();
  });
  return { text: () => text };
}

export function onlyOne(host: AgentHost): FoundAgent {
  const [found, ...others] = host.found;
  if (found === undefined || others.length > 0) throw new Error(`${host.found.length} agents`);
  return found;
}
