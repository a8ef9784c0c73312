import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { secondsSince } from "../seconds-since.ts";
import { owner } from "./oci.ts";

interface Runtime {
  process: { terminal: boolean };
  mounts: { destination: string; type: string; source: string; options: string[] }[];
}

/**
 * Runs the image as a container, with its data in a volume, and runs it again with the same volume.
 * @param image `layout:tag`
 * @param folder for the container's files
 * @returns seconds until the hub answered
 */
export async function tryOci(image: string, folder: string): Promise<{ readonly answered: number }> {
  const bundle = join(folder, "container");
  execFileSync("umoci", ["unpack", "--image", image, bundle], { stdio: ["ignore", "ignore", "inherit"] });
  const volume = mkdtempSync(join(folder, "volume-"));
  execFileSync("chown", [owner, volume]);
  const file = join(bundle, "config.json");
  const runtime = JSON.parse(readFileSync(file, "utf8")) as Runtime;
  runtime.process.terminal = false;
  const options = ["rbind", "rw"];
  runtime.mounts.push({ destination: "/var/lib/ledge", type: "bind", source: volume, options });
  writeFileSync(file, JSON.stringify(runtime));
  const first = await answered(bundle);
  const second = await answered(bundle);
  // The volume holds the hub: its key, from which its id follows.
  assert.equal(second.hub, first.hub);
  return { answered: first.seconds };
}

async function answered(bundle: string): Promise<{ readonly hub: string; readonly seconds: number }> {
  const from = performance.now();
  const name = `ledge-trial-${process.pid}`;
  const child = spawn("runc", ["run", "--bundle", bundle, name], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    for (let tries = 0; tries < 240; tries++) {
      assert.equal(child.exitCode, null, "the container ended");
      const text = asked(name);
      if (text.includes("HUB_META_DATA")) {
        const { hubId } = JSON.parse(text) as { hubId: string };
        assert.ok(hubId.length > 0);
        return { hub: hubId, seconds: secondsSince(from) };
      }
      await sleep(250);
    }
    throw new Error("the hub in the container never answered");
  } finally {
    await stop(child, name);
  }
}

async function stop(child: ChildProcess, name: string): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, "close");
  execFileSync("runc", ["kill", name, "TERM"]);
  await ended;
  assert.equal(child.exitCode, 0, "the hub in the container stops when it is told to");
}

/** What the hub says of itself, asked from inside the container's network; empty before it serves. */
function asked(name: string): string {
  try {
    const { pid } = JSON.parse(execFileSync("runc", ["state", name], { stdio: "pipe" }).toString()) as {
      pid: number;
    };
    const curl = ["curl", "-s", "http://127.0.0.1:8893/hub"];
    return execFileSync("nsenter", ["--target", String(pid), "--net", ...curl], { stdio: "pipe" }).toString();
  } catch {
    return "";
  }
}
