export { createClient, HoldfastError, type Client, type ClientOptions } from "./client.ts";
