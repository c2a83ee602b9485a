import { config } from "zod";

// The page's policy allows no code that is made at run time; schemas would try when they are made.
config({ jitless: true });
