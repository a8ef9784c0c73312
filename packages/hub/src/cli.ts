import { runProgram } from "@ledge/host/cli/program";
import { commands } from "./cli/commands.ts";
import { openStoppedHub } from "./cli/stopped-hub.ts";
import { release } from "./version.ts";

await runProgram({
  name: "ledge",
  release,
  commands,
  subject: "hub",
  folder: ".data/sim",
  openStopped: openStoppedHub,
});
