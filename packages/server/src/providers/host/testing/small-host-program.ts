/** A host whose limits are reached in a moment. */
import { runHost } from "../run-host.ts";

runHost({ logBytes: 400_000, unreadBytes: 100_000 });
