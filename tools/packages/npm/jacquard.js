#!/usr/bin/env node
// Runs the program of this platform, which is in a package of its own, in this process's place as far as Node.js allows.
"use strict";
const { spawn } = require("node:child_process");

const environment = 4; // docs/reference/exit-codes.md

function fail(message) {
  console.error(`jacquard: ${message}`);
  process.exit(environment);
}

const platform = `${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`@jacquard-build/${platform}/bin/jacquard${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  fail(`the package @jacquard-build/${platform} is not installed: install jacquard without --omit=optional or --no-optional, or see docs/install.md if this platform has none`);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (err) => fail(`start ${program}: ${err.message}`));

// A terminal sends Ctrl-C to the program, too, and a second one means "quit at once". So it is passed on only where nobody sits.
const terminal = [0, 1, 2].some((fd) => require("node:tty").isatty(fd));
for (const signal of ["SIGINT", "SIGQUIT"]) process.on(signal, () => terminal || child.kill(signal));
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));

child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  // Whoever waits for this process sees what ended the program.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
