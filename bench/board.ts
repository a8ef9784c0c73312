// One page of figures from a machine that somebody has, to send in: what it is, how fast its disk flushes, how soon
// a hub is there, what it holds, and what a poll costs.
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { arch, availableParallelism, cpus, release, totalmem } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { AppendResult, Engine } from "./append.child.ts";
import { rounded } from "./figure.ts";
import { httpFigures } from "./http.ts";
import { bundled, HubFolder } from "./hub-process.ts";

const devices = 100;
/** Flushes of other programs are among those of any one run. */
const rounds = 3;

/** What a page says of a machine. */
export interface BoardFigures {
  readonly machine: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryMebibytes: number;
  readonly system: string;
  readonly node: string;
  readonly ledge: string;
  /** Until the first answer of an empty hub, and of one with `devices` devices (ms). */
  readonly startMs: number;
  readonly startWithDevicesMs: number;
  /** Of the hub's process with `devices` devices (MB). */
  readonly memoryMegabytes: number;
  /** Processor time of a poll that brings nothing, and of one that brings 10 devices (us). */
  readonly idlePollUs: number;
  readonly pollUs: number;
  /** One write and one flush of a file, and one event that the log acknowledges (ms). */
  readonly flushMs: number;
  readonly appendMs: number;
  readonly appendP99Ms: number;
}

/**
 * Measures this machine; takes about two minutes on a Raspberry Pi 4 (a guess).
 * @param folder on the disk that is to be measured
 */
export async function measureBoard(folder: string): Promise<BoardFigures> {
  const work = mkdtempSync(join(folder, "ledge-board-"));
  try {
    const file = await append("file", work);
    const log = await append("log", work);
    const hub = await measureHub(join(work, "bundle"));
    const polls = await httpFigures();
    const poll = (name: string): number => polls.find((figure) => figure.name.includes(name))?.value ?? NaN;
    return {
      ...facts(),
      ...hub,
      idlePollUs: poll("idle poll"),
      pollUs: poll("poll of 10"),
      flushMs: file.p50Ms,
      appendMs: log.p50Ms,
      appendP99Ms: log.p99Ms,
    };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function facts(): Pick<
  BoardFigures,
  "machine" | "processor" | "cores" | "memoryMebibytes" | "system" | "node" | "ledge"
> {
  const manifest = readFileSync(join(import.meta.dirname, "..", "package.json"), "utf8");
  return {
    machine: machineName(),
    processor: cpus()[0]?.model.trim() ?? arch(),
    cores: availableParallelism(),
    memoryMebibytes: Math.round(totalmem() / 1_048_576),
    system: `${distribution()}, Linux ${release()}, ${arch()}`,
    node: process.version,
    ledge: (JSON.parse(manifest) as { version: string }).version,
  };
}

/** As the device tree or the firmware calls it. */
function machineName(): string {
  for (const path of ["/proc/device-tree/model", "/sys/class/dmi/id/product_name"]) {
    if (!existsSync(path)) continue;
    const name = readFileSync(path, "utf8").replaceAll("\0", "").trim();
    if (name !== "") return name;
  }
  return "unknown";
}

function distribution(): string {
  if (!existsSync("/etc/os-release")) return "unknown";
  return /^PRETTY_NAME="(.*)"$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? "unknown";
}

async function append(engine: Engine, folder: string): Promise<Pick<AppendResult, "p50Ms" | "p99Ms">> {
  const best = { p50Ms: Infinity, p99Ms: Infinity };
  for (let round = 0; round < rounds; round++) {
    const args = [
      join(import.meta.dirname, "append.child.ts"),
      engine,
      join(folder, `${engine}-${round}`),
      "1",
    ];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const { p50Ms, p99Ms } = JSON.parse(stdout) as AppendResult;
    best.p50Ms = Math.min(best.p50Ms, p50Ms);
    best.p99Ms = Math.min(best.p99Ms, p99Ms);
  }
  return best;
}

async function measureHub(
  bundles: string,
): Promise<Pick<BoardFigures, "startMs" | "startWithDevicesMs" | "memoryMegabytes">> {
  const folder = new HubFolder({ sim: { seed: 1, devices } }, await bundled(bundles));
  try {
    const first = await folder.start();
    await first.devices(devices, await first.key());
    const memoryMegabytes = first.pss();
    await first.stop();
    const again = await folder.start();
    await again.stop();
    return { startMs: first.startMs, startWithDevicesMs: again.startMs, memoryMegabytes };
  } finally {
    folder.remove();
  }
}

/** The columns of the table in docs/boards.md. */
const columns: readonly { readonly title: string; readonly cell: (figures: BoardFigures) => string }[] = [
  { title: "machine", cell: ({ machine }) => machine },
  { title: "Ledge", cell: ({ ledge }) => ledge },
  { title: "start, new (s)", cell: ({ startMs }) => seconds(startMs) },
  { title: `start, ${devices} devices (s)`, cell: ({ startWithDevicesMs }) => seconds(startWithDevicesMs) },
  { title: "memory (MB)", cell: ({ memoryMegabytes }) => String(Math.round(memoryMegabytes)) },
  { title: "idle poll (µs)", cell: ({ idlePollUs }) => String(rounded(idlePollUs)) },
  { title: "poll of 10 (µs)", cell: ({ pollUs }) => String(rounded(pollUs)) },
  { title: "flush (ms)", cell: ({ flushMs }) => String(rounded(flushMs)) },
  {
    title: "event, p50 and p99 (ms)",
    cell: ({ appendMs, appendP99Ms }) => `${rounded(appendMs)}, ${rounded(appendP99Ms)}`,
  },
];

/** The first cells of the table's head. */
export const boardColumns: readonly string[] = columns.map(({ title }) => title);

/** The page to send in: its second part is a line for the table in docs/boards.md. */
export function boardPage(figures: BoardFigures): string {
  const { machine, processor, cores, memoryMebibytes, system, node, ledge } = figures;
  const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return `# Ledge ${ledge} on ${machine}

- processor: ${processor}, ${cores} cores
- memory: ${memoryMebibytes} MiB
- system: ${system}
- Node: ${node}
- disk: (make and kind of the card or disk, please)
- radio: (the sticks that you use, please)

${row(boardColumns)}
${row(columns.map(() => "---"))}
${row(columns.map(({ cell }) => cell(figures).replaceAll("|", "/")))}

"Start" is until the first answer of the hub, "memory" the share of its process alone, a poll processor time,
"flush" one write and fdatasync of a file, "event" the time until the log has acknowledged one.
`;
}

function seconds(milliseconds: number): string {
  return String(rounded(milliseconds / 1000));
}
