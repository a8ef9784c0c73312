// docs/performance.md, from the figures of one run.
import { availableParallelism, cpus } from "node:os";
import { type Figure, isWithin, rounded } from "./figure.ts";

const sections: readonly { readonly title: string; readonly group: string; readonly text: string }[] = [
  {
    title: "Poll, in process",
    group: "poll ",
    text: `\`kernel.poll\` over 1,000, 10,000 and 100,000 devices of which 0 to 1,000 have changed since the
cursor. "Per copy" is its time by the time of copying the finished answer into a new buffer: the part that no
design can save. "sqlite per poll" and "lmdb per poll" say how many times longer a database takes that holds
the objects' JSON under an index on the timestamp and builds the same answer. The heap figures are what one
poll leaves to the garbage collector beside the answer's own buffer.`,
  },
  {
    title: "Instructions",
    group: "instructions ",
    text: `Counted on aarch64 under qemu-user by a plugin of a few lines, with \`node --predictable
--single-threaded\`: the same program takes the same count within about 0.1 %, on any machine. Each count is
per turn: the middle one of 11 windows after a warm-up. The limits are those of \`bench/baseline.json\` plus
2 %, or 5 % for a whole request; with CI set \`npm test\` fails beyond them. After a change that is worth its instructions, or a new Node or
QEMU, \`npm run -s bench -- --rebaseline\` writes a new baseline. The static answer has
the head and the body of an idle poll. The bare one lacks the four headers that the API owes to browsers; in
node:http they cost about as much as all that the hub adds to a bare answer. What these counts do not see: cache misses,
the disk, the system's own work.`,
  },
  {
    title: "Append",
    group: "append ",
    text: `One producer that waits for each acknowledgement, of commits of 1, 10 and 100 events of about 200 bytes.
A preloaded library makes every flush (fsync, fdatasync, synchronous write) 10 ms longer, as an SD card might,
and counts flushes and bytes. The file is preallocated, written in whole 4 KB pages with one fdatasync per
commit. SQLite is node:sqlite with WAL and synchronous FULL. The loop gap is how far apart timers of 1 ms
come meanwhile.`,
  },
  {
    title: "Start, replay, memory",
    group: "start ",
    text: `Replay reads a log of 100,000 events from disk; JSON.parse of the same bytes, in the same blocks, is what
it is compared with. The hub process is started from its sources, types stripped on the way, with a
simulated adapter of 10,000 devices; memory is the PSS of that process alone, without its adapters.`,
  },
  {
    title: "From command to radio",
    group: "command ",
    text: `A hub process whose devices report about 200 times a second gets \`PUT /devices/command\` over HTTP; the
time ends when the frame is handed to the adapter's process, which is seen by a module preloaded into the hub.`,
  },
];

export function render(figures: readonly Figure[]): string {
  const parts = sections.map(({ title, group, text }) => {
    const found = figures.filter(({ name }) => name.startsWith(group));
    return found.length === 0 ? "" : `## ${title}\n\n${text}\n\n${rowsOf(found)}\n`;
  });
  return `${opening()}\n${parts.filter((part) => part !== "").join("\n")}`;
}

function opening(): string {
  const processor = cpus()[0]?.model.trim() ?? "an unknown processor";
  return `# Performance

\`npm run -s bench -- --markdown\` writes this page from a run; change \`bench/page.ts\`, not the page. A table on
the terminal: \`npm run -s bench\`. One JSON line per figure: \`npm run -s bench -- --json\`. One group or figure:
\`--only poll\`.

This run: ${availableParallelism()} cores of ${processor}, Linux, Node ${process.versions.node}. The machine was shared with other work, so
times are told and never gated; gated are counts, bytes, and ratios of the best times of rounds in which both
sides took turns. A figure that is gated and over its limit is marked **missed**, and ends the run with exit
code 1. Not measured: real SD or eMMC cards and real ARM boards. The workflow in \`.github/workflows/ci.yml\` runs
the tests and the gate on x86 and on arm64; it has been checked for its form but was not run there.
`;
}

function rowsOf(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const { name, value, unit, limit, gated, how } = figure;
    const verdict =
      limit === null ? "" : isWithin(figure) ? "ok" : gated ? "**missed**" : "missed, not gated";
    return `| ${name} | ${rounded(value)} ${unit} | ${limit ?? ""} | ${verdict} | ${how} |`;
  });
  return ["| Figure | Value | Limit | | How |", "| --- | --: | --- | --- | --- |", ...rows].join("\n");
}
