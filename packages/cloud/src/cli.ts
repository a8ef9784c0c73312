import { runProgram } from "@ledge/host/cli/program";
import { commands } from "./cli/commands.ts";
import { openStoppedCloud } from "./cli/stopped-cloud.ts";
import { defaultFolder } from "./folder/folder.ts";
import { release } from "./version.ts";

await runProgram({
  name: "ledge-cloud",
  release,
  commands,
  subject: "cloud",
  folder: defaultFolder,
  openStopped: openStoppedCloud,
});
