import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { Worker } from "node:worker_threads";

/* Attacks that a hostile library of an adapter could try. Prints the result of each as JSON. */

const [folder = "", own = "", hub = "0", all] = process.argv.slice(2);

function tried(act: () => unknown): string {
  try {
    const value = act();
    return value === null ? "nothing" : "done";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? (error as Error).name;
  }
}

/** Resolves with the answer at a socket. */
function answered(path: string): Promise<string> {
  return new Promise((resolve) => {
    const line = connect(path);
    line.on("error", ({ code }: NodeJS.ErrnoException) => resolve(code ?? "error"));
    line.on("connect", () => {
      line.destroy();
      resolve("done");
    });
  });
}

const secrets = ["secret-key", "identity-key.json", "personal-keys.json", "hub.json", "log/data.mdb"];
const found = {
  ...Object.fromEntries(
    secrets.map((name) => [`read ${name}`, tried(() => readFileSync(join(folder, name)))]),
  ),
  "read through /proc": tried(() => readFileSync(`/proc/self/root${join(folder, "hub.json")}`)),
  "read the hub's environment": tried(() => readFileSync(`/proc/${hub}/environ`)),
  "list the folder": tried(() => readdirSync(folder)),
  "list sockets": tried(() => readFileSync("/proc/net/unix")),
  "write a key": tried(() => writeFileSync(join(folder, "https.json"), "", { flag: "a" })),
  "write a mark": tried(() => writeFileSync(join(folder, "marked"), "")),
  "link to a key": tried(() => symlinkSync(join(folder, "secret-key"), join(own, "link"))),
  "run a program": tried(() => spawnSync("true").status),
  "run a thread": tried(() => new Worker("", { eval: true }).unref()),
  "write in its own folder": tried(() => writeFileSync(join(own, "cache"), "x")),
  "open the socket by its usual name": await answered(join(folder, "ledge.sock")),
  ...(all === undefined && { "wake the hub's debugger": tried(() => process.kill(Number(hub), "SIGUSR1")) }),
};
process.stdout.write(`${JSON.stringify(found)}\n`);
