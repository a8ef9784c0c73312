// Kills, restarts and starves three processes of a cloud on PostgreSQL and NATS under load, and counts what was lost;
// docs/fleet.md.
//
//   npm run -s fleet -- [--kills N] [--writers N] [--away SECONDS] [--json]
//   npm run -s fleet -- --partition SECONDS [--json]
//   npm run -s fleet -- --hubs N [--devices N] [--seconds N] [--reports N] [--share PERCENT] [--json]
//   npm run -s fleet -- --rows N [--times N] [--seconds N] [--no-restore] [--json]
//
// The second form, as root, cuts the broker, a process that follows and the one that writes off from everything but their
// clients, one after the other, and checks the clients' history. The third measures a cloud of one process with many hubs,
// which this process simulates: so many devices each, so many seconds of each load, so many reports per second; as root, the
// cloud may get so many percent of a core. The fourth fills a database with so many devices, measures how long searches take,
// each asked so many times, and what is left behind by devices that report one by one for so many seconds, and restores the
// database from its backups.
import { inspect, parseArgs } from "node:util";
import { countOf } from "../count-of.ts";
import { tryHubs } from "./hubs/trial.ts";
import { partition } from "./partition.ts";
import { prove } from "./proof.ts";
import { tryStore } from "./store/trial.ts";

/** How long (ms) a new writer may take, since its lease ends 10 s after the kill; and registers, until they are as the hubs. */
const [takeoverBoundMs, rowsBoundMs] = [15_000, 30_000];

const { values } = parseArgs({
  allowNegative: true,
  options: {
    kills: { type: "string", default: "50" },
    writers: { type: "string", default: "6" },
    away: { type: "string", default: "60" },
    partition: { type: "string" },
    hubs: { type: "string" },
    devices: { type: "string", default: "10" },
    seconds: { type: "string", default: "60" },
    reports: { type: "string", default: "500" },
    share: { type: "string" },
    rows: { type: "string" },
    times: { type: "string", default: "100" },
    restore: { type: "boolean", default: true },
    json: { type: "boolean", default: false },
  },
});
const tell = (line: string): void => console.error(line);
const show = (found: object): void =>
  console.log(values.json ? JSON.stringify(found) : inspect(found, { depth: 4 }));

if (values.partition !== undefined) {
  const ms = countOf("partition", values.partition) * 1000;
  const found = await partition({ brokerMs: ms, followerMs: ms, writerMs: ms, tell });
  show(found);
  process.exit(found.broken.length === 0 && found.withoutWriter.stored > 0 ? 0 : 1);
}
if (values.hubs !== undefined) {
  const found = await tryHubs({
    hubs: countOf("hubs", values.hubs),
    devices: countOf("devices", values.devices),
    partMs: countOf("seconds", values.seconds) * 1000,
    reportsPerSecond: countOf("reports", values.reports),
    share: values.share === undefined ? undefined : countOf("share", values.share),
    tell,
  });
  show(found);
  process.exit(found.storm.away === 0 ? 0 : 1);
}
if (values.rows !== undefined) {
  const found = await tryStore({
    rows: countOf("rows", values.rows),
    times: countOf("times", values.times),
    churnMs: countOf("seconds", values.seconds) * 1000,
    isRestored: values.restore,
    tell,
  });
  show(found);
  const { isSame = true, isOfMoment = true } = found.restored ?? {};
  process.exit(isSame && isOfMoment ? 0 : 1);
}
const proof = await prove({
  kills: countOf("kills", values.kills),
  writers: countOf("writers", values.writers),
  awayMs: countOf("away", values.away) * 1000,
  tell,
});
const slowestMs = proof.takeoverMs.at(-1) ?? 0;
const failures = [
  ...(proof.lost > 0 ? ["acknowledged changes were lost"] : []),
  ...(slowestMs > takeoverBoundMs ? ["a new writer took too long"] : []),
  ...(proof.rowsEqualMs > rowsBoundMs ? ["registers were not as their hubs in time"] : []),
  ...(proof.failedInRestart > 0 ? ["changes failed while processes were restarted"] : []),
  ...(proof.withoutBroker.failed > 0 ? ["changes failed without the broker"] : []),
  ...[proof.withoutBroker, proof.withoutDatabase].flatMap(({ unanswered }) => unanswered),
  ...(proof.controlCaught ? [] : ["the control was not caught"]),
];
if (values.json) console.log(JSON.stringify({ ...proof, slowestMs, failures }));
else
  for (const [name, value] of Object.entries({ ...proof, slowestMs, failures }))
    console.log(`${name.padEnd(16)}${typeof value === "object" ? JSON.stringify(value) : value}`);
if (failures.length > 0) process.exitCode = 1;
