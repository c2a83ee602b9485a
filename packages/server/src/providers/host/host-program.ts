/**
 * The agent host: a small process that owns the pipes of agents, so that they outlive the server. Its arguments are its folder
 * and the version of Holdfast. It writes `ready` and closes its output when servers can connect.
 */
import { runHost } from "./run-host.ts";

const MIB = 1024 * 1024;

runHost({ logBytes: 256 * MIB, unreadBytes: 64 * MIB });
