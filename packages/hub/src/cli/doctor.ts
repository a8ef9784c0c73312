import { existsSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { hasHadHub, logFolder } from "../folder.ts";
import { isServed } from "../lock.ts";
import type { LogReport } from "../start/log-task.ts";
import { lookAtLog } from "../start/log-task.ts";
import { RunNote } from "../start/run-note.ts";
import { socketConsole } from "./client.ts";
import type { CliCommand } from "./command.ts";
import { apiPrefix } from "../version.ts";
import { exitCodes } from "./command.ts";
import { size, table } from "./print.ts";

/** One thing looked at. */
interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Below this the disk is as good as full (bytes). */
const freeBytesMin = 64 * 1024 * 1024;

export const doctor: CliCommand = {
  words: "doctor",
  usage: "",
  summary: "Looks the installation over, the whole log included; exit code 1 when something is wrong",
  standalone: true,
  async run({ folder, json, print }) {
    const checks = [
      node(),
      ...folderChecks(folder),
      await logCheck(folder),
      ...refusedCheck(folder),
      ...(await hubChecks(folder)),
    ];
    if (json) print(JSON.stringify(checks));
    else
      print(
        table(
          ["", "check", "finding"],
          checks.map(({ ok, name, detail }) => [ok ? "ok" : "WRONG", name, detail]),
        ),
      );
    return checks.every(({ ok }) => ok) ? exitCodes.done : exitCodes.unhealthy;
  },
};

function node(): Check {
  const ok = Number(process.versions.node.split(".")[0]) >= 24;
  return { name: "node", ok, detail: `${process.version} on ${process.platform} ${process.arch}` };
}

function folderChecks(folder: string): Check[] {
  if (!existsSync(folder)) return [{ name: "data folder", ok: false, detail: `there is no ${folder}` }];
  const open = statSync(folder).mode & 0o077;
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  return [
    {
      name: "data folder",
      ok: open === 0,
      detail: open === 0 ? folder : `${folder} is open to others: chmod 700`,
    },
    { name: "disk", ok: free >= freeBytesMin, detail: `${size(free)} free` },
  ];
}

async function logCheck(folder: string): Promise<Check> {
  const name = "log";
  if (!existsSync(join(logFolder(folder), "data.mdb"))) {
    if (!hasHadHub(folder)) return { name, ok: true, detail: "none yet" };
    return { name, ok: false, detail: "it is gone, though a hub has lived here: restore a backup" };
  }
  let found: LogReport | undefined;
  // Another process does, as LMDB ends the process on a damaged page.
  const ended = await lookAtLog("verify", logFolder(folder), (report) => (found = report));
  if (ended !== undefined) return { name, ok: false, detail: `it cannot be read: ${ended}` };
  if (found?.type !== "verified")
    return { name, ok: false, detail: found?.type === "damaged" ? found.message : "it cannot be read" };
  const { commits, events, damage } = found.verification;
  const [first] = damage;
  if (first === undefined) return { name, ok: true, detail: `${commits} commits, ${events} events, whole` };
  return {
    name,
    ok: false,
    detail: `${damage.length} places damaged, the first at ${first.timestamp}: ${first.problem}`,
  };
}

/** An event that this release could not apply, and what can be done about it. */
function refusedCheck(folder: string): Check[] {
  const { refused } = new RunNote(folder);
  if (refused === undefined) return [];
  const { message } = refused;
  const remedy = "install a release that knows it, or restore a backup from before it";
  return [{ name: "events", ok: false, detail: `${message}: ${remedy}` }];
}

async function hubChecks(folder: string): Promise<Check[]> {
  if (!(await isServed(folder))) return [{ name: "hub", ok: true, detail: "not running" }];
  const { status, json } = await socketConsole(folder).call("GET", `${apiPrefix}/console/status`);
  if (status !== 200) return [{ name: "hub", ok: false, detail: `answers ${status}` }];
  const found = json as {
    kernel: { state: string; reason: string | null; clockTrusted: boolean };
    adapters: Record<string, { state: string; reason: string | null }>;
  };
  const { state, reason, clockTrusted } = found.kernel;
  return [
    { name: "hub", ok: state === "serving", detail: reason ?? state },
    { name: "clock", ok: clockTrusted, detail: clockTrusted ? "trusted" : "not trusted: schedules wait" },
    ...Object.entries(found.adapters).map(([protocol, adapter]) => ({
      name: `adapter ${protocol}`,
      ok: adapter.state === "running" || adapter.state === "starting",
      detail: adapter.reason === null ? adapter.state : `${adapter.state}: ${adapter.reason}`,
    })),
  ];
}
