// Preloaded into what a script starts: when the script is gone, even by kill -9, its channel closes and we stop.
if (process.channel) {
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel.unref();
}
