import { spawn } from "node:child_process";
import { tied } from "../tied.ts";

/** Starts the command in its arguments, tied to itself, prints its process id and stays alive. */
const [command = "", ...args] = process.argv.slice(2);
const child = spawn(...tied(command, args), { stdio: ["ignore", "pipe", "inherit"] });
child.stdout.once("data", () => process.stdout.write(`${child.pid}\n`));
setInterval(() => {}, 1000);
