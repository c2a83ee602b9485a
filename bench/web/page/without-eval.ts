import { config } from "zod";

// The page's policy forbids code generated at run time, which zod would otherwise use.
config({ jitless: true });
