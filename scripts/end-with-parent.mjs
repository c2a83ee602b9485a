// Preloaded into child processes of scripts: if the script dies, even by kill -9, the IPC channel closes and the child stops.
if (process.channel) {
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel.unref();
}
