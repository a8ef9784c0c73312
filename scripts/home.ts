// Runs a hub, and its cloud if that is to run on this machine. `npm start` runs this.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { ensureWeb } from "./web.ts";

const root = join(import.meta.dirname, "..");
const programs = {
  hub: join(root, "packages", "hub", "src", "main.ts"),
  cloud: join(root, "packages", "cloud", "src", "main.ts"),
} as const;

/** The hub's options that determine which cloud it needs. The hub itself checks all its arguments. */
const options = {
  profile: { type: "string" },
  data: { type: "string" },
  port: { type: "string" },
  cloud: { type: "string" },
  log: { type: "string" },
  help: { type: "boolean" },
} as const;

const args = process.argv.slice(2);

async function main(): Promise<number> {
  await ensureWeb();
  const wanted = cloudFor(args);
  if (wanted === undefined) return endOf(program("hub", args, "inherit"));
  const cloud = program("cloud", wanted, "pipe");
  const ended = endOf(cloud);
  const said = new Said(cloud);
  const address = await Promise.race([said.part(/API +(http\S+)/), ended]);
  if (typeof address === "number") {
    process.stderr.write("the cloud did not start: npm start -- --cloud none runs the hub without it\n");
    return address;
  }
  let isOver = false;
  const tell = (code: number): void => {
    if (!isOver) process.stderr.write(`the cloud has ended with ${code}; the hub goes on without it\n`);
  };
  void ended.then(tell);
  const hub = program("hub", [...args, "--cloud", address], "pipe");
  const first = new Said(hub);
  const code = endOf(hub);
  // The address to open comes first, and everything in one piece: who reads the last line has read all.
  await Promise.race([first.part(/^ {2}cloud (.+)/), code]);
  process.stdout.write(first.release() + said.release());
  await code;
  isOver = true;
  cloud.kill("SIGTERM");
  await ended;
  return code;
}

/** Returns the arguments of the cloud; undefined when the hub has none or its cloud is elsewhere. */
function cloudFor(given: readonly string[]): string[] | undefined {
  const { values } = parseArgs({ args: [...given], options, strict: false });
  if (values.cloud !== undefined || values.help === true) return undefined;
  const named = typeof values.profile === "string" ? values.profile : undefined;
  let profile: { name: string; cloud: { url: string } | null };
  let url: URL;
  try {
    const file = named ?? join(root, "firmware-profiles", "sim.json");
    profile = JSON.parse(readFileSync(file, "utf8")) as typeof profile;
    url = new URL(profile.cloud?.url ?? "");
  } catch {
    return undefined;
  }
  if (url.protocol !== "http:") return undefined;
  const data = typeof values.data === "string" ? values.data : join(".data", profile.name);
  const log = typeof values.log === "string" ? ["--log", values.log] : [];
  const port = portBeside(values.port) ?? url.port;
  return ["--data", `${resolve(data)}-cloud`, "--host", url.hostname, "--port", port, ...log];
}

/** Returns the cloud's port, next to that of the hub, so that nobody has to name two ports. */
function portBeside(port: unknown): string | undefined {
  if (typeof port !== "string" || !/^\d+$/.test(port)) return undefined;
  return String(port === "0" ? 0 : Number(port) + 1);
}

function program(
  name: keyof typeof programs,
  given: readonly string[],
  output: "inherit" | "pipe",
): ChildProcess {
  const child = spawn(process.execPath, [programs[name], ...given], { stdio: ["ignore", output, "inherit"] });
  // Signals go to the hub; when the hub ends, the cloud ends too.
  if (name === "hub")
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  return child;
}

/** What a program prints: held until it is released, then passed on as it comes. */
class Said {
  #held: string[] | undefined = [];
  readonly #lines;

  constructor(child: ChildProcess) {
    this.#lines = createInterface({ input: child.stdout ?? process.stdin });
    this.#lines.on("line", (line) => {
      if (this.#held === undefined) process.stdout.write(`${line}\n`);
      else this.#held.push(`${line}\n`);
    });
  }

  /** Resolves with the first group of a pattern once a line matches it. */
  part(pattern: RegExp): Promise<string> {
    const { promise, resolve: found } = Promise.withResolvers<string>();
    this.#lines.on("line", (line) => {
      const group = pattern.exec(line)?.[1];
      if (group !== undefined) found(group);
    });
    return promise;
  }

  /** Returns what was held. */
  release(): string {
    const held = this.#held ?? [];
    this.#held = undefined;
    return held.join("");
  }
}

/** Returns the exit code; 128 + n when signal n ended the process. */
async function endOf(child: ChildProcess): Promise<number> {
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

process.exit(await main());
