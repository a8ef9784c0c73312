import { existsSync, statfsSync, statSync } from "node:fs";
import { backupsIn } from "../backup/own-backups.ts";
import type { CloneSeen } from "../cloud/clone-watch.ts";
import type { HistoryStatus } from "../history/history.ts";
import { logFolder } from "@ledge/host/folder";
import { isServed } from "@ledge/host/lock";
import { RunNote } from "../start/run-note.ts";
import { socketConsole } from "@ledge/host/cli/client";
import type { CliCommand } from "@ledge/host/cli/command";
import { CliError, exitCodes } from "@ledge/host/cli/command";
import { apiPrefix } from "../version.ts";
import type { Check } from "./log-checks.ts";
import { logChecks } from "./log-checks.ts";
import { keptChecks, lostChecks } from "./kept-checks.ts";
import type { HttpsState } from "../tls/https.ts";
import { goodUntil } from "@ledge/host/certificate";
import type { LostFile } from "../start/lost-files.ts";
import { passphraseOf, passphraseOptions } from "@ledge/host/cli/passphrase";
import { portChecks } from "./port-checks.ts";
import { size, table } from "@ledge/host/cli/print";
import { repair } from "./repair.ts";

/** With less free room than this (bytes) the disk counts as full. */
const freeBytesMin = 64 * 1024 * 1024;

export const doctor: CliCommand = {
  words: "doctor",
  usage: "[--repair [--yes] [--backup FILE [--passphrase-file F | --without-secrets]]]",
  summary: "Looks the installation over, the whole log included; exit code 1 when something is wrong",
  options: {
    repair: { type: "boolean", help: "make a whole log of a damaged one, which is kept; the hub is stopped" },
    yes: { type: "boolean", help: "do it without asking" },
    backup: { type: "string", help: "take what cannot be read from this backup" },
    ...passphraseOptions,
  },
  standalone: true,
  check({ options }) {
    const isRepair = options["repair"] === true;
    const needsRepair = ["yes", "backup", "passphrase-file", "without-secrets"];
    if (!isRepair && needsRepair.some((name) => options[name] !== undefined))
      throw new CliError(exitCodes.usage, `--${needsRepair.join(", --")} go with --repair`);
    passphraseOf({ options });
  },
  async run(invocation) {
    const { folder, json, print, options } = invocation;
    if (options["repair"] === true) return repair(invocation);
    const checks = [
      node(),
      ...folderChecks(folder),
      ...(await storedChecks(folder)),
      ...refusedCheck(folder),
      ...portChecks(folder),
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
    { name: "backups", ok: true, detail: lockBackups(folder) },
  ];
}

/**
 * An index that is behind or stopped is no fault, because queries then read the log. An index that cannot be
 * made is one.
 */
function historyCheck({ state, reason, mark }: HistoryStatus): Check {
  const upTo = mark === 0 ? "" : `, up to ${new Date(mark).toISOString()}`;
  return {
    name: "history index",
    ok: state !== "failed",
    detail: `${state}${upTo}${reason === null ? "" : `: ${reason}`}`,
  };
}

/** Describes the backups that the hub made by itself when its configuration was locked. */
function lockBackups(folder: string): string {
  const names = backupsIn(folder, "locked");
  return names.length === 0
    ? "none of a locked configuration"
    : `${names.length}, the newest ${names.at(-1)}`;
}

/** Reports an event that this release could not apply, with the remedy. */
function refusedCheck(folder: string): Check[] {
  const { refused } = new RunNote(folder);
  if (refused === undefined) return [];
  const { message } = refused;
  const remedy = "install a release that knows it, or restore a backup from before it";
  return [{ name: "events", ok: false, detail: `${message}: ${remedy}` }];
}

/** A certificate that cannot be used is never replaced, because clients trust its fingerprint. */
function httpsCheck({ lost, problem, until, expiry }: HttpsState): Check[] {
  if (lost !== null)
    return [
      { name: "https.json", ok: false, detail: `${lost}: put the file back, or delete it for a new one` },
    ];
  if (until === null)
    return problem === null ? [] : [{ name: "https", ok: false, detail: `not served: ${problem}` }];
  return [{ name: "certificate", ok: expiry === "good", detail: goodUntil({ until, expiry }) }];
}

/** Reports another hub with the same identity. */
function cloneCheck(clone: CloneSeen | null): Check[] {
  if (clone === null) return [];
  const remedy =
    clone.linked === "this"
      ? "turn the other off"
      : 'turn one of the two off; "ledge identity --newest --yes" at the one that stays';
  return [{ name: "identity", ok: false, detail: `two hubs have it: ${clone.problem}: ${remedy}` }];
}

/** Checks the log, and the keys of a stopped hub against the log. */
async function storedChecks(folder: string): Promise<Check[]> {
  const checks = await logChecks(folder);
  const canTell = existsSync(logFolder(folder)) && checks.every(({ name, ok }) => name !== "log" || ok);
  return canTell && !(await isServed(folder)) ? [...checks, ...(await keptChecks(folder))] : checks;
}

async function hubChecks(folder: string): Promise<Check[]> {
  if (!(await isServed(folder))) return [{ name: "hub", ok: true, detail: "not running" }];
  const { status, json } = await socketConsole(folder).call("GET", `${apiPrefix}/console/status`);
  if (status !== 200) return [{ name: "hub", ok: false, detail: `answers ${status}` }];
  const found = json as {
    kernel: { state: string; reason: string | null; clockTrusted: boolean };
    log: { journalMode: string };
    history: HistoryStatus;
    cloud: { clone: CloneSeen | null } | null;
    lost: readonly LostFile[];
    https: HttpsState;
    adapters: Record<string, { state: string; reason: string | null }>;
  };
  const { state, reason, clockTrusted } = found.kernel;
  return [
    { name: "hub", ok: state === "serving", detail: reason ?? state },
    {
      name: "journal",
      ok: true,
      detail:
        found.log.journalMode === "direct"
          ? "direct"
          : `${found.log.journalMode}: this file system takes no direct writes`,
    },
    historyCheck(found.history),
    ...lostChecks(found.lost),
    ...httpsCheck(found.https),
    ...cloneCheck(found.cloud?.clone ?? null),
    { name: "clock", ok: clockTrusted, detail: clockTrusted ? "trusted" : "not trusted: schedules wait" },
    ...Object.entries(found.adapters).map(([protocol, adapter]) => ({
      name: `adapter ${protocol}`,
      ok: adapter.state === "running" || adapter.state === "starting",
      detail: adapter.reason === null ? adapter.state : `${adapter.state}: ${adapter.reason}`,
    })),
  ];
}
