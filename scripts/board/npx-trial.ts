import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { secondsSince } from "../seconds-since.ts";

/**
 * Runs the npm package as a new user does: in an empty folder, with an empty home and an empty cache.
 * @param archive the package
 * @param node the Node that npm runs with
 * @param folder for the home; it must be empty
 * @returns seconds until the hub answered
 */
export async function tryNpx(
  archive: string,
  node: string,
  folder: string,
): Promise<{ readonly answered: number }> {
  const [home, here] = [join(folder, "home"), join(folder, "here")];
  for (const path of [home, here]) mkdirSync(path, { recursive: true });
  const path = [dirname(node), process.env["PATH"]].join(delimiter);
  // Of this machine only how it reaches the registry.
  const {
    npm_config_registry: registry = execFileSync("npm", ["config", "get", "registry"]).toString().trim(),
  } = process.env;
  const env = { PATH: path, HOME: home, npm_config_registry: registry, npm_config_update_notifier: "false" };
  const flags = ["--port", "0", "--https-port", "0", "--no-mdns", "--host", "127.0.0.1", "--cloud", "none"];
  const from = performance.now();
  const child = spawn("npx", ["--yes", `file:${archive}`, ...flags], {
    cwd: here,
    env,
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  const ended = once(child, "close");
  try {
    let printed = "";
    child.stdout.on("data", (chunk) => (printed += String(chunk)));
    let address: string | undefined;
    while (address === undefined) {
      assert.equal(child.exitCode, null, `npx ended: ${printed}`);
      assert.ok(performance.now() - from < 600_000, `the hub never said where it is: ${printed}`);
      address = /API +(http:\S+)\n/.exec(printed)?.[1];
      await sleep(100);
    }
    const meta = (await (await fetch(`${address}/hub`)).json()) as { state: string };
    assert.equal(meta.state, "factory_new");
    const answered = secondsSince(from);
    assert.ok(existsSync(join(home, ".local", "share", "ledge", "log")), "the data are in the home");
    const asked = execFileSync("npx", ["--yes", "--package", `file:${archive}`, "ledge", "status"], {
      cwd: here,
      env,
    });
    assert.match(asked.toString(), /kernel +serving/);
    return { answered };
  } finally {
    // npx and what it has started.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM");
    await ended;
    assert.ok(child.exitCode !== null || child.signalCode !== null, basename(archive));
  }
}
