/** Loaded where they are used. An import would also load all of `fetch`, which takes 40 ms of every start. */
export const http = () => process.getBuiltinModule("node:http");
export const https = () => process.getBuiltinModule("node:https");
