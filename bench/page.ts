// docs/performance.md, from the figures of one run.
import { availableParallelism, cpus } from "node:os";
import { type Figure, isWithin, rounded } from "./figure.ts";

const sections: readonly { readonly title: string; readonly group: string; readonly text: string }[] = [
  {
    title: "Poll, in process",
    group: "poll",
    text: `\`kernel.poll\` over 1,000, 10,000 and 100,000 devices of which 0 to 1,000 have changed since the
cursor. "Per copy" is its time by the time of copying the finished answer into a new buffer: the part that no
design can save. Before anything is timed answers of all sizes are given, as in the life of a hub: code that has seen
one size alone is compiled for it, and anew at the next. The heap figures are what one poll leaves to the garbage collector beside the answer's own buffer.

"sqlite per poll" and "lmdb per poll" say how many times longer a database takes that is asked for what has
changed. All three answer the same bytes for the same caller: objects by category, the newest first, cut by the
read mask and the reader. Each database gets what the product has: warm prepared statements or a range scan over
an index by timestamp, fragments of JSON that need only be joined, the newest timestamp known beforehand, and
everything in memory. "Sqlite per copy" and "lmdb per copy" are the same by the time of the copy alone: what an
ideal poll would reach. With 10 changes most of either time goes into memory that is written for the first time.`,
  },
  {
    title: "Instructions",
    group: "instructions",
    text: `Counted on aarch64 under qemu-user by a plugin of a few lines, with \`node --predictable
--single-threaded\` and a heap that begins large, so that no step of marking falls into a window: the same program takes the same count within about 1 %, on any machine. Each count is
per turn: after a warm-up the middle one of 11 windows; for requests and the cloud the least, as a window of theirs
may have a collection of garbage or the growth of a table in it or not. The limits are those of \`bench/baseline.json\` plus 2 %; with CI set \`npm test\` fails beyond them, and names a Node or QEMU that the
baseline is not for instead of comparing. After a change that is worth its instructions, or a new Node or
QEMU, \`npm run -s bench -- --rebaseline\` writes a new baseline.

The static answer that an idle poll is held against is a correct one: node:http writing the head and the body of
an idle poll, known beforehand. The bare one lacks the four headers that the API owes to browsers (who may call
and what they may read, no caching, no guessing of types); in node:http they cost about as much as all that the
hub adds to a bare answer. They are not left out: without them a page of another origin could not call the hub.
What these counts do not see: cache misses, the disk, the system's own work.`,
  },
  {
    title: "Over HTTP",
    group: "http",
    text: `Processor time of a server's process per request on a kept-alive connection, as the machine was: the
same servers as above, run natively.`,
  },
  {
    title: "Append",
    group: "append",
    text: `One producer that waits for each acknowledgement, of commits of 1, 10 and 100 events of about 200 bytes.
A preloaded library makes every flush (fsync, fdatasync, synchronous write) 10 ms longer, as an SD card might,
and counts flushes and bytes: those of the 4 KB pages that a write touches, as the disk gets them. The file is
preallocated with zeros and appended to without padding, with one fdatasync per commit, so that a commit which ends
within a page has the next one write that page again; padded to whole pages it would write less in commits of 10
and 100 (the log then writes 1.5 and 2.1 times as much). SQLite is node:sqlite with WAL and synchronous FULL. The loop gap is how far apart timers of 1 ms
come meanwhile. The log is closed within the count, so what its journal holds at the end and moves into LMDB
counts too.`,
  },
  {
    title: "Start, replay, memory",
    group: "start",
    text: `Replay reads a log of 100,000 events from disk; JSON.parse of the same bytes, in the same blocks, is what
it is compared with. The full journal is one of which nothing has reached LMDB: the start finds and moves it. The
hub process runs with a simulated adapter of 10,000 devices, from its sources, types stripped on the way, and from
bundles (\`npm run bundle\`), as a device does. Memory is the PSS of that process alone, without its adapters, after
it was asked for all devices. Of it some 60 MB are there before any device is known; a device takes about 2 KB of
heap for its state, its places in the maps and the recency list, and 0.4 KB outside for its cached bytes once it
is polled. [Decision 14](adr/0014-a-small-heap-before-speed.md) says how the rest was brought down.`,
  },
  {
    title: "From command to radio",
    group: "command",
    text: `A hub process whose devices report about 200 times a second gets \`PUT /devices/command\` over HTTP; the
time ends when the frame is written to the adapter's process, which is seen by a module preloaded into the hub.`,
  },
  {
    title: "Rules",
    group: "rules",
    text: `A step of a rule's machine is held against xstate's own \`transition()\`, which makes an actor for each call.
The home has ten thousand rules that light a lamp by motion: each hears a sensor of its own and one that all share.
Memory is what the engine adds to the states that the kernel holds: its index and the snapshots of all machines. The
time from report to command ends when the command is decided, which is when the hub hands an absolute one to the
dispatcher; the commit is on its way to the disk meanwhile.`,
  },
  {
    title: "The past",
    group: "past",
    text: `The history index of 5 million numbers that one device reported within a year, and what a query of it
takes: opening the index, finding what held before, and summing up in 300 points. A year is told from the heads of
chunks, what is read of a day are its chunks. Walked are all samples one by one, as without heads. The index rate is
that of a log on disk, each event of which reports one number of one of 200 devices.

The poll is a full one of a hub's process with 100 devices, one after the other: the 99th percentile
while another process indexes such a log over and over, by that without it, from rounds that take turns.`,
  },
  {
    title: "Relay",
    group: "relay",
    text: `A hub's API with 1,000 devices, asked on a port of its own and through a cloud's process and the tunnel:
client, cloud and hub are processes of their own on loopback, all on this machine's cores, so what one of them
works the others wait for. Requests take turns: one direct, one relayed, on one connection each. What is added is
the difference of the two middles, or of the two 99th percentiles. Without TLS.

The memory is what the cloud's process takes more with 2,000 hubs than with the first 1,000: their registrations
and sessions with it, and tunnels that carry nothing but a ping. What the process takes once, such as compiled code,
the first hubs have brought. Before each reading V8 gives back all pages that it does not use; of 4 readings the least
counts.`,
  },
  {
    title: "SignalR",
    group: "signalr",
    text: `The server of packages/signalr and 1,000 WebSockets of another process on the same cores. Every item goes to
all sockets. In one half of the turns 20 items make a frame, in the other each item has a frame of its own. The memory
is the growth of the server's process by 5,000 clients with an open stream.`,
  },
  {
    title: "M-Bus",
    group: "mbus",
    text: `The codec of packages/mbus decodes its own example frames in one thread: into records, into records and then XML
with normalised units, and as wireless frames of format A, whose CRCs it checks. Debian has no M-Bus tools to compare with.`,
  },
  {
    title: "Modbus",
    group: "modbus",
    text: `A hub with the Modbus adapter in its own process reads a line over TCP on loopback, whose registers all change
between two reads, so that every value becomes an event. The delay of the event loop is that of the hub's process since
its start, in steps of 10 ms, which its timer has.`,
  },
  {
    title: "Buses",
    group: "buses",
    text: `The memory of a bundled hub without an adapter, and of the adapters of a building's buses, each in a process of
its own: without a device, and with 60 on a simulated bus. An adapter that no profile names has no process.
[adapters.md](adapters.md) says what each does.`,
  },
  {
    title: "Push",
    group: "push",
    text: `Twenty hubs with kernel, API and tunnel in one process, a cloud in another, its client in a third. The owner
shares the homes, and devices report 200 times a second. A push is timed from the report at the hub's kernel to its
arrival at the client, once by a WebSocket of \`/hub/v1\` and once by fetches of the same user. The hubs' logs are in
memory, the register of the cloud is on disk. The ratio is what the slowest hundredth takes beyond 20 ms, by the time
that an acknowledgement of the hub and a commit of a register take alone. A read of one device takes turns between the
hub's own port, Graph through the tunnel, and Graph from the register. The memory is the growth of the cloud's process
by users who log in and open twenty connections with a stream each.

\`npm run -s push:slow\` lets three clients read slowly for an hour of the cloud's clock, in which a home of 50 devices
changes 72,000 times. The last run: 2,734 pushes over a WebSocket, 3,054 over Server-Sent Events and 9,060 by long
polling, the last state of each device in the end, and 72.3 MB held in the first twenty minutes, 67.7 MB in the last.`,
  },
  {
    title: "Replication",
    group: "replication",
    text: `A hub's process in which reports of 1,000 devices wait, a million in a whole run, and a cloud that asks for them over
HTTP/2, reads, checks and stores them in a register on disk. Storing alone is what a second register takes for the
same batches, without what reading them takes. Both take turns, and the best turn of each counts. The rate is that of
the whole.

The polls are those of a client on the hub's own network that follows a home of 1,000 devices with 200 reports a second. The
home is shared with a cloud and not shared, in turns; each turn with a share begins with the whole home. Cloud, hub
and client share the cores of this machine, so a part of what is told is their want of processors.`,
  },
  {
    title: "Registers",
    group: "registers",
    text: `The cloud's embedded store with a million devices: a register of 10,000 and one of all others, told by several
hubs. A page of 50 begins anywhere in the large register, once by id and once by name; the names are shuffled, so each
row of a page by name is somewhere else in the file. A second store has the small register alone, and both take turns.
The search looks at all 10,000 devices of the small register, in the large store. The run needs 2 GB of disk below the
system's folder for temporary files and about a minute on a quiet machine; \`--devices 100000\` makes it short. It holds
one batch in memory; what else the process seems to hold are pages of the file, which the system can take back.`,
  },
  {
    title: "Graph and 1.0",
    group: "graph",
    text: `Twelve users ask a cloud's process for a tenant, by Graph and by the deprecated 1.0 API, which one handler
answers. The ratio is that of the time that the cloud's first thread had of a processor, so what else runs on the machine
does not count.`,
  },
  {
    title: "Tenants",
    group: "tenants",
    text: `What a cloud's process takes more with 2,500 tenants in its log than with 500, when nobody asks for them. Garbage
is collected before it is read.`,
  },
  {
    title: "Egress",
    group: "egress",
    text: `Events of sites on their way to receivers in another process, over HTTP on loopback. The rate is that of events
that wait in the cloud's log: they go into the outboxes of their sites and from there to the targets, ten in a request, the
next request after the answer to the last one. The delay is that of a change in a site, from before its commit to its
arrival. Cloud and receivers share the cores and the disk of this machine.

In the outage one site has as many events as the cloud keeps, which its receiver has refused until then. Another site
changes meanwhile.`,
  },
  {
    title: "Zigbee",
    group: "zigbee",
    text: `A bundled hub with its Zigbee adapter, over TCP to a stick that is simulated at its wire, with 60 devices on
the air behind it, paired over HTTP. The simulated air takes the time of IEEE 802.15.4, sleepy devices poll, and the
stick has a serial line of 115,200 baud (docs/adr/0085). With \`--peer DIR\` each figure stands beside that of
Zigbee2MQTT, which takes turns with the hub; docs/zigbee.md says how to install it.`,
  },
  {
    title: "The seams of a Zigbee command",
    group: "seam",
    text: `The same hub and stick. Modules that are preloaded into both processes note when a command passes from one
to the next; the middle of 100 commands that each come after a pause, as commands do. Bare hops are three processes that
only pass a request on: HTTP into the first, a pipe to the second, TCP out of it. Nothing on the way waits for the disk, a
timer or a further turn of an event loop: what is beyond the bare hops is code that runs cold after the pause. How well V8
has compiled it hardly matters. [Decision 118](adr/0118-where-a-command-and-its-memory-go.md) has the hub's part in six
pieces, what was tried on it, and why Zigbee2MQTT is sooner.`,
  },
  {
    title: "Z-Wave",
    group: "zwave",
    text: `A bundled hub with its Z-Wave adapter, over TCP to a stick that is simulated at its wire, with 60 nodes in its
network. A frame is on the air for a millisecond. Commands to lamps go the same way three times, each at a stick of its own and in
turns: over HTTP through the hub, to the adapter without a hub, and to the library in a program of thirty lines. All
of them let the library set the value, so that the frames are the same; only frames that set a level count. The lamps of the scene
of a group are told with one frame to many, and then each by itself. The memory of both radios is that of the same hub with the
Zigbee house of above, 30 s after a restart; processes of the same Node share its pages.`,
  },
  {
    title: "What-if",
    group: "what-if",
    text: `A light by motion is tried on thirty days of 200 devices that report every five minutes, each report in a
commit of its own, from a log on disk. The trial walks the whole span: it checks every checksum, and does not parse
what the rule cannot heed. The ratio compares it with a plain reading of the same span, which parses everything and
tries no rule. Both take turns.`,
  },
  {
    title: "Web interface",
    group: "web",
    text: `What people wait for in a browser: a bundled hub with 200 simulated devices, and Chromium in the size of a phone
(412 x 800 px), its processor slowed four times. Each wait begins with the press and ends with the frame that shows the
answer. A simulated device takes 60 to 90 ms until it reports. Hub and Chromium share the cores of this machine.

For 10,000 devices the page gets the hub's own answer, multiplied, in place of the answers of its polls. The news of a day
come as fast as the page takes them, on a clock of its own that stands in for the browser's. Gated are counts, in the
tests of the interface: bytes that it loads, elements of each screen, requests of each screen, and that a delta draws
only what shows the device that has changed.`,
  },
  {
    title: "Open browsers",
    group: "browsers",
    text: `Two bundled hubs with 200 simulated devices get the same 1,800 commands, those of an hour in which something
changes every two seconds. One of them has 20 open pages: clients of the bench that load the interface's files, are let in
as panels, and hold a poll as a page does. The hour is compressed to some four minutes, because more waits bring no more
memory: a waiting poll is the same after a second as after 25. What the log takes for the changes is in both hubs.`,
  },
];

/** @param before the page as it is: sections of which nothing was measured stay as they stand there. */
export function render(figures: readonly Figure[], before = ""): string {
  const stood = new Map(
    before.split(/^## /m).map((part) => [part.split("\n", 1)[0], `## ${part.trimEnd()}\n`]),
  );
  const parts = sections.map(({ title, group, text }) => {
    const found = figures.filter(({ name }) => name.startsWith(`${group} `));
    if (found.length === 0) return stood.get(title) ?? "";
    return `## ${title}\n\n${text}\n\nBy: \`npm run -s bench -- --only ${group}\`\n\n${rowsOf(found)}\n`;
  });
  return `${opening()}\n${parts.filter((part) => part !== "").join("\n")}`;
}

function opening(): string {
  const processor = cpus()[0]?.model.trim() ?? "an unknown processor";
  return `# Performance

\`npm run -s bench -- --markdown\` writes this page from a run; change \`bench/page.ts\`, not the page. A table on
the terminal: \`npm run -s bench\`. One JSON line per figure: \`npm run -s bench -- --json\`. One group or figure:
\`--only poll\`; with \`--markdown\` the other groups then stay as they are on the page.

This run: ${availableParallelism()} cores of ${processor}, Linux, Node ${process.versions.node}. The machine was shared with other work, so
times are told and never gated; gated are counts, bytes, and ratios of the best times of rounds in which both
sides took turns, each turn from a collected heap. On a busy machine such a ratio may move: with 10 to 20 processes
waiting for its two cores, seven runs gave 0.48 to 1.03 for the replay. What such a run says of a limit nearby is
to be taken from several, on a quiet machine. A figure that is gated and over its limit is marked **missed**, and ends the run with exit
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
