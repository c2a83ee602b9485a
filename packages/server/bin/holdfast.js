#!/usr/bin/env node
// Written for every Node: an older one must understand it to be told what is needed.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    "holdfast: Node 22.18 or newer is needed, and this is Node " +
      process.versions.node +
      ". Install a newer one from https://nodejs.org.",
  );
  process.exit(64);
}
const program = require("node:path").join(__dirname, "../dist/program");
Promise.resolve()
  .then(() => {
    const { loadProgram } = require(program + "/load-program.js");
    return loadProgram(program + "/main.js", process.argv[2]).main(process.argv.slice(2));
  })
  .catch((error) => {
    console.error(error);
    // To whoever calls a hook, 2 would mean to stop.
    process.exit(process.argv[2] === "hook" ? 1 : 2);
  });
