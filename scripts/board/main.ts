// Tries what machines install, on machines: a disk image in an emulated ARM machine, with its updates, and, when asked
// for, a Debian package in a Debian that systemd boots, and an image as a container.
// Needs root, and from Debian mmdebstrap, systemd-container, dpkg, umoci, runc, curl,
// qemu-system-arm, qemu-system-common, qemu-user-static, e2fsprogs, squashfs-tools, dosfstools, mtools, fdisk, kmod,
// xz-utils and rauc.
//
//   npm run -s board -- [--only PART,…] [--cuts N] [--seed TEXT] [--json] [--write]
//     --only           parts by the names of parts.ts, or `update` for all that begin so. What they need of others runs
//                      before, unless it was done in the folder. Without it all run that boot the image, and `slots`.
//     --folder DIR     works in DIR and leaves all there.
//     --write          records docs/flash.md.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { tied } from "@ledge/port";
import { secondsSince } from "../seconds-since.ts";
import { parts } from "./parts.ts";
import { namedParts, partsBehind, partsToRun, runInOrder } from "./parts-order.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    cuts: { type: "string", default: "100" },
    seed: { type: "string" },
    json: { type: "boolean" },
    folder: { type: "string" },
    write: { type: "boolean", default: false },
    /** Runs one part in this process, and leaves what it measured in the folder. */
    part: { type: "string" },
  },
});

const needs = Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, part.needs]));
const resultOf = (folder: string, name: string): string => join(folder, "results", `${name}.json`);

async function runHere(name: string, folder: string): Promise<void> {
  const { cuts, seed, write } = values;
  const options = { cuts: Number(cuts), write, ...(seed !== undefined && { seed }) };
  const result = await parts[name]?.run(folder, options);
  mkdirSync(join(folder, "results"), { recursive: true });
  writeFileSync(resultOf(folder, name), JSON.stringify(result));
}

/** Runs a part in a process of its own: many of them wait for programs, and keep their process from anything else. */
async function runApart(name: string, folder: string): Promise<void> {
  rmSync(resultOf(folder, name), { force: true });
  const passed = ["--cuts", values.cuts, ...(values.seed === undefined ? [] : ["--seed", values.seed])];
  const flags = ["--part", name, "--folder", folder, ...passed, ...(values.write ? ["--write"] : [])];
  const child = spawn(...tied(process.execPath, [import.meta.filename, ...flags]), {
    // What programs print does not come between the results.
    stdio: ["ignore", 2, 2],
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`the part ${name} failed`);
}

/** What all parts took together (s), what each has measured, and why some have failed. */
interface Results {
  readonly [name: string]: unknown;
  readonly seconds: number;
  readonly failed?: object;
}

/** Runs parts, as many at a time as there are processors. */
async function runAll(names: readonly string[], folder: string): Promise<Results> {
  const from = performance.now();
  const results: Record<string, object> = {};
  const failures = await runInOrder(needs, names, availableParallelism(), async (name) => {
    const began = secondsSince(from);
    await runApart(name, folder);
    const measured = JSON.parse(readFileSync(resultOf(folder, name), "utf8")) as object;
    results[name] = measured;
    console.error(`${name}: from ${began} s to ${secondsSince(from)} s: ${JSON.stringify(measured)}`);
  });
  const failed = Object.fromEntries([...failures].map(([name, error]) => [name, String(error)]));
  const seconds = secondsSince(from);
  return { seconds, ...results, ...(failures.size > 0 && { failed }) };
}

async function main(): Promise<void> {
  const { folder: given, part, only } = values;
  if (part !== undefined) return await runHere(part, given ?? "");
  const whole = Object.keys(parts).filter((name) => parts[name]?.isApart !== true);
  const wanted = only === undefined ? whole : namedParts(needs, only.split(","));
  if (typeof wanted === "string") {
    console.error(`there is no part ${wanted}; there are ${Object.keys(parts).join(", ")}`);
    process.exitCode = 2;
    return;
  }
  if (!/^[1-9]\d{0,3}$/.test(values.cuts)) {
    console.error(`--cuts is ${values.cuts}: name a number from 1 to 9999`);
    process.exitCode = 2;
    return;
  }
  const folder = given ?? mkdtempSync(join(tmpdir(), "ledge-board-"));
  mkdirSync(folder, { recursive: true });
  try {
    const names = partsToRun(needs, wanted, (name) => existsSync(resultOf(folder, name)));
    for (const name of partsBehind(needs, names)) rmSync(resultOf(folder, name), { force: true });
    const results = await runAll(names, folder);
    if (values.json) console.log(JSON.stringify(results));
    else console.log(results);
    if (results.failed !== undefined) process.exitCode = 1;
  } finally {
    if (given === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

await main();
