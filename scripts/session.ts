// Runs the commands in the pages below like a reader: one after the other in one shell, in a separate folder.
// Between `<!-- session:NAME -->` and `<!-- /session:NAME -->`, a line of a console block that begins with `$ `
// is a command; the lines below it are its output.
//
//   npm run -s session               prints what the commands print now
//   npm run -s session -- --write    writes that into the pages; with a session's name, only for that one
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import {
  closeSync,
  cpSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

const root = join(import.meta.dirname, "..");
/** The folder of the checkout as the pages show it, instead of the one in which the commands ran. */
const shownFolder = "/srv/ledge";

/** The page of each session. */
const sessionPages: Readonly<Record<string, string>> = {
  sim: "docs/first-session.md",
  "433mhz": "docs/433mhz.md",
  api: "docs/api.md",
  bacnet: "docs/bacnet.md",
  backup: "docs/backup.md",
  ble: "docs/ble.md",
  cameras: "docs/cameras.md",
  custom: "docs/custom-rules.md",
  egress: "docs/egress.md",
  graph: "docs/graph.md",
  hue: "docs/hue.md",
  mbus: "docs/mbus.md",
  media: "docs/media.md",
  messages: "docs/messages.md",
  modbus: "docs/modbus.md",
  mqtt: "docs/mqtt.md",
  oauth2: "docs/oauth2.md",
  platform: "docs/platform.md",
};

/** A command with the lines that it and background jobs printed meanwhile. */
export interface Step {
  readonly command: string;
  readonly printed: readonly string[];
}

/** The port of this run for each port in the pages. */
type Ports = Readonly<Record<number, number>>;

const hubPort = 8893;
/** `npm start` gives the cloud the port after the hub's. */
const cloudPort = hubPort + 1;
const plantPort = 15_020;
const buildingPort = plantPort + 1;
const brokerPort = 1883;

/** A hub in the background is up when it has printed its last line. */
const startsHub = /^npm start\b.*&$/;
const hubIsUp = /^ {2}key .*\n/m;
const patienceMs = 120_000;
/** Notices of the shell about jobs, and of an incomplete set-up. They come at any time. */
const notice = /^\[\d+\][+-]? |^\(wd now: |^ledge: (?:bringing|installing|another start)/;

/** Matches the text of a session in a page, between its two marks. */
const region = (name: string): RegExp =>
  new RegExp(`(?<=<!-- session:${name} -->\n)[^]*(?=<!-- /session:${name} -->)`);

/** Returns the steps of a session in a page. */
export function stepsIn(page: string, name: string): Step[] {
  const text = region(name).exec(page)?.[0];
  if (text === undefined) throw new Error(`the page has no session ${name}`);
  const blocks = [...text.matchAll(/^```console\n([^]*?)^```$/gm)].map(([, block]) => block ?? "");
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        const [command = "", ...printed] = step.trimEnd().split("\n");
        return { command, printed };
      }),
  );
}

/** Returns the page with the current output of a session's steps. */
export function withSteps(page: string, name: string, steps: readonly Step[]): string {
  const left = steps.values();
  return page.replace(region(name), (text) =>
    text.replace(/^\$ .*\n(?:(?!\$ |```$).*\n)*/gm, () => {
      const { value } = left.next();
      return value === undefined ? "" : `$ ${[value.command, ...value.printed].join("\n")}\n`;
    }),
  );
}

/**
 * Runs commands in a new shell, and ends what they leave running. The commands use free ports, because those of
 * the page may be taken; the output shows the ports of the page.
 */
export async function play(commands: readonly string[]): Promise<Step[]> {
  const [hub, plant] = [await holdPorts(2), await holdPorts(3)];
  const ports = {
    [hubPort]: hub.first,
    [cloudPort]: hub.first + 1,
    [plantPort]: plant.first,
    [buildingPort]: plant.first + 1,
    [brokerPort]: plant.first + 2,
  };
  const folder = makeFolder(ports);
  const shell = new Shell(folder);
  try {
    const steps: Step[] = [];
    for (const command of commands) {
      const printed = await shell.run(withPorts(command, ports));
      steps.push({ command, printed: shown(printed, folder, ports) });
    }
    return steps;
  } finally {
    await shell.close();
    for (const held of [hub, plant]) held.release();
    // A process that was just killed may still be using a file.
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  }
}

/**
 * Plays the session of a page.
 * @returns the text of the page, and its steps as it shows them and as they went now
 * @throws Error when no page has the session
 */
export async function playPage(
  name: string,
): Promise<{ readonly page: string; readonly shown: readonly Step[]; readonly played: readonly Step[] }> {
  const file = sessionPages[name];
  if (file === undefined) throw new Error(`no page has the session ${name}`);
  const page = readFileSync(join(root, file), "utf8");
  const steps = stepsIn(page, name);
  return { page, shown: steps, played: await play(steps.map(({ command }) => command)) };
}

interface HeldPorts {
  readonly first: number;
  release(): void;
}

/**
 * Reserves consecutive ports of 127.0.0.1 for this session until they are released, even while nobody listens on
 * them. The ports are below those that the system assigns. Listeners on the same ports of 127.0.0.2 keep other
 * sessions away.
 */
async function holdPorts(count: number): Promise<HeldPorts> {
  for (let tries = 0; tries < 100; tries++) {
    const first = randomInt(20_000, 30_000);
    const ports = Array.from({ length: count }, (_, index) => first + index);
    const marks = await Promise.all(ports.map((port) => listening("127.0.0.2", port)));
    const probes = await Promise.all(ports.map((port) => listening("127.0.0.1", port)));
    for (const probe of probes) probe?.close();
    const release = (): void => marks.forEach((mark) => mark?.close());
    if (![...marks, ...probes].includes(undefined)) return { first, release };
    release();
  }
  throw new Error("no free ports between 20000 and 29999");
}

async function listening(host: string, port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, host);
  try {
    await once(server, "listening");
    return server;
  } catch {
    return undefined;
  }
}

/** Creates a folder that the commands take for the checkout, without any data. */
function makeFolder(ports: Ports): string {
  const folder = mkdtempSync(join(tmpdir(), "ledge-session-"));
  for (const name of ["package.json", "scripts", "packages", "docs"])
    symlinkSync(join(root, name), join(folder, name));
  const profiles = join(folder, "firmware-profiles");
  cpSync(join(root, "firmware-profiles"), profiles, { recursive: true });
  for (const name of ["hue", "mbus", "modbus", "mqtt", "rf433"]) {
    const example = join(profiles, `${name}-example.json`);
    writeFileSync(example, withPorts(readFileSync(example, "utf8"), ports));
  }
  return folder;
}

function withPorts(text: string, ports: Ports): string {
  const replaced = Object.entries(ports).reduce((all, [from, to]) => all.replaceAll(from, `${to}`), text);
  const port = ports[hubPort];
  return port === undefined
    ? replaced
    : replaced.replace(/\bnpm start( --)?(?= )/, `npm start -- --port ${port}`);
}

function shown(printed: string, folder: string, ports: Ports): string[] {
  const named = Object.entries(ports).reduce(
    (all, [to, from]) => all.replaceAll(new RegExp(`(?<![\\w-])${from}(?![\\w-])`, "g"), to),
    printed,
  );
  const lines = named.replaceAll(` --port ${hubPort}`, "").replaceAll(folder, shownFolder).trimEnd();
  return lines.split("\n").flatMap((line) => (line === "" || notice.test(line) ? [] : [line.trimEnd()]));
}

/** An interactive shell without a terminal. Each job has its own process group, so that `kill %1` ends all of it. */
class Shell {
  readonly #child;
  readonly #ended: Promise<unknown>;
  /**
   * The output goes to a file. A pipe is shared by all writers: when one of them makes it non-blocking, others
   * lose output while it is full.
   */
  readonly #output: string;
  #taken = 0;
  #commands = 0;

  constructor(folder: string) {
    // Remove the variables that npm sets for its scripts, because they belong to another run.
    const own = Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_TEST_CONTEXT$/i.test(name));
    this.#output = join(folder, ".printed");
    const output = openSync(this.#output, "a");
    this.#child = spawn("bash", ["--noprofile", "--norc"], {
      cwd: folder,
      env: { ...Object.fromEntries(own), npm_config_loglevel: "error" },
      stdio: ["pipe", output, "ignore"],
    });
    closeSync(output);
    this.#ended = once(this.#child, "close");
    this.#child.stdin?.write("set -m\n");
  }

  /** Returns the output until the command has ended or, in the background, is up. */
  async run(command: string): Promise<string> {
    const end = `-- command ${(this.#commands += 1)} has ended --\n`;
    this.#child.stdin?.write(`{ ${command}\n} 2>&1; printf '%s\\n' '${end.trimEnd()}'\n`);
    await this.#until(command, (printed) => printed.includes(end));
    if (startsHub.test(command)) await this.#until(command, (printed) => hubIsUp.test(printed));
    const printed = this.#printed();
    this.#taken += printed.length;
    return printed.replace(end, "");
  }

  /** Returns the output since the last command. */
  #printed(): string {
    return readFileSync(this.#output, "utf8").slice(this.#taken);
  }

  async #until(command: string, holds: (printed: string) => boolean): Promise<void> {
    for (const deadline = Date.now() + patienceMs; !holds(this.#printed()); await sleep(20)) {
      if (this.#child.exitCode !== null)
        throw new Error(`the shell ended at: ${command}\n${this.#printed()}`);
      if (Date.now() > deadline)
        throw new Error(`timed out waiting for the end of: ${command}\n${this.#printed()}`);
    }
  }

  /** Ends the shell with its jobs, whatever they are doing. */
  async close(): Promise<void> {
    const { pid, exitCode } = this.#child;
    if (exitCode !== null) return;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
    this.#child.kill("SIGKILL");
    for (const job of children) if (job !== "") killGroup(Number(job));
    await this.#ended;
  }
}

/** Kills a job's process group, which includes everything that the job has started. */
function killGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

/**
 * Returns steps without the parts that differ between runs.
 * @param measured whether measured values differ too.
 */
export function shapeOf(steps: readonly Step[], measured: boolean): unknown {
  return steps.map(({ command, printed }) => [command, ...printed.map((line) => masked(line, measured))]);
}

/** Replaces ids, keys, passwords, times, versions and, if requested, measured values by placeholders. */
export function masked(line: string, measured: boolean): string {
  const text = line
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<id>")
    .replaceAll(/\b00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}\b/g, "<trace>")
    .replaceAll(/\brequest:[\w-]+/g, "request:<id>")
    .replaceAll(/"track":"[\w-]+"/g, '"track":"<id>"')
    .replaceAll(/\b\d{4}-\d\d-\d\d(?:T[\d:.]+Z| [\d:]+ UTC)/g, "<time>")
    .replaceAll(/\bpassword: \w+/g, "password: <password>")
    .replaceAll(/^ {2}setup code {2}[A-Z]{7}$/gm, "  setup code  <code>")
    .replaceAll(/"code":"[A-Z]{7}"/g, '"code":"<code>"')
    .replaceAll(/"(key|secret)":"[\w.-]{22,}"/g, '"$1":"<$1>"')
    .replaceAll(/\b\d{13}(-\d+)?\b/g, (_, index?: string) => (index === undefined ? "<time>" : "<event>"))
    .replaceAll(/\b\d+(?:\.\d+){2,3}\b/g, "<version>")
    .replaceAll(/\b\d+ (?=commits|events)/g, "<count> ")
    .replaceAll(/\b\d+(?:\.\d+)? (?=[kM]B\b)/g, "<size> ")
    .replaceAll(/\s+/g, " ");
  return measured ? text.replaceAll(/(?<=[=:])-?\d+(?:\.\d+)?(?![\d.])/g, "<value>") : text;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { write: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  for (const [name, file] of Object.entries(sessionPages)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    const { page, played } = await playPage(name);
    if (values.write) writeFileSync(join(root, file), withSteps(page, name, played));
    for (const { command, printed } of played) console.log([`$ ${command}`, ...printed].join("\n"));
  }
}

if (import.meta.main) await main();
