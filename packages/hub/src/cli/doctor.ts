import { existsSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { upcasters } from "@ledge/model";
import { openLmdbLog } from "@ledge/log";
import { logFolder } from "../folder.ts";
import { isServed } from "../lock.ts";
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
    const checks = [node(), ...folderChecks(folder), await logCheck(folder), ...(await hubChecks(folder))];
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
  if (!existsSync(join(logFolder(folder), "data.mdb"))) return { name, ok: true, detail: "none yet" };
  try {
    const log = await openLmdbLog({ folder: logFolder(folder), upcasters, readOnly: true });
    const { commits, events, damage } = log.verify();
    await log.close();
    const [first] = damage;
    if (first === undefined) return { name, ok: true, detail: `${commits} commits, ${events} events, whole` };
    return {
      name,
      ok: false,
      detail: `${damage.length} places damaged, the first at ${first.timestamp}: ${first.problem}`,
    };
  } catch (error) {
    return { name, ok: false, detail: (error as Error).message };
  }
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
