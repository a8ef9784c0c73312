import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { secondsSince } from "../seconds-since.ts";
import type { Machine } from "./machine.ts";

const hub = "http://127.0.0.1:8893";
const api = `${hub}/cc/1.14`;
const properties = ["systemctl", "show", "ledge", "--property=MainPID,NRestarts,ActiveState,Result"];
const journal = ["journalctl", "-u", "ledge", "--no-pager"];
/** Where the trial puts its own files on the machine. */
const [deb, profile] = ["/srv/ledge.deb", "/srv/profile.json"];
const used = "/etc/ledge/profile.json";

/**
 * A machine on which the package is installed. The parts run in their order, and each leaves the hub serving.
 * Each throws an AssertionError at the first thing that is not as promised in docs/systemd.md and docs/boards.md.
 */
class DebTrial {
  readonly #machine: Machine;
  readonly #before: readonly string[];
  #key = "";

  constructor(machine: Machine, file: string) {
    this.#machine = machine;
    this.#before = filesOf(machine);
    copyFileSync(file, join(machine.root, deb));
  }

  async install(): Promise<void> {
    const machine = this.#machine;
    machine.do("apt-get", "install", "-y", deb);
    await this.#serves();
    assert.equal(machine.do("systemctl", "is-enabled", "ledge").trim(), "enabled");
    assert.equal(machine.do("systemctl", "list-units", "--failed", "--no-legend", "--plain").trim(), "");
    assert.match(machine.do("ledge", "status"), /kernel +serving/);
  }

  /** By the setup code in the journal, as a new owner does. */
  async claim(): Promise<void> {
    const machine = this.#machine;
    const [, code = ""] = /setup code +([A-Z]{7})\b/.exec(machine.do(...journal)) ?? [];
    const claim = JSON.stringify({ code, nickname: "Ann", name: "Laptop" });
    const claimed = machine.do("curl", "-s", "-X", "POST", "-d", claim, `${api}/hub/setup`);
    this.#key = (JSON.parse(claimed) as { key: string }).key;
    this.#call("-X", "PUT", "-d", '[{"type":"CMD_ROOM","name":"Cellar"}]', `${api}/rooms`);
    await this.#keepsItsRoom();
    // Every process of the hub may do in the unit what it has to.
    await this.#machine.until(/data\.mdb/, 60, "ls", "-R", "/var/lib/ledge/history");
    assert.doesNotMatch(this.#machine.do(...journal), /"level":[56]0/);
  }

  async killed(): Promise<void> {
    const pid = this.#pid();
    this.#signal("KILL");
    await this.#machine.until(/NRestarts=1/, 30, ...properties);
    await this.#keepsItsRoom();
    assert.notEqual(this.#pid(), pid);
  }

  async restartedOverHttp(): Promise<void> {
    const pid = this.#pid();
    this.#call(`${api}/hub/restart`);
    await this.#machine.until(/NRestarts=2/, 60, ...properties);
    await this.#keepsItsRoom();
    assert.notEqual(this.#pid(), pid);
  }

  async hung(): Promise<void> {
    this.#signal("STOP");
    await this.#machine.until(/NRestarts=3/, 120, ...properties);
    await this.#keepsItsRoom();
    assert.match(this.#machine.do(...journal), /Watchdog timeout/);
  }

  /** The owner's changes of the profile stay. */
  async updated(): Promise<void> {
    const machine = this.#machine;
    machine.do("sed", "-i", 's/"telemetryWindowMs": 250/"telemetryWindowMs": 500/', used);
    machine.do("dpkg", "-i", deb);
    await this.#keepsItsRoom();
    assert.match(machine.do("cat", used), /"telemetryWindowMs": 500/);
  }

  async unusableProfile(): Promise<void> {
    const machine = this.#machine;
    machine.do("sh", "-c", `cp ${used} ${profile} && echo '{' > ${used}`);
    machine.run("systemctl", "restart", "ledge");
    await machine.until(/ActiveState=failed/, 30, ...properties);
    assert.match(machine.do(...journal, "-n", "20"), /profile\.json/);
    machine.do("cp", profile, used);
    await this.#startAgain();
  }

  /** systemd gives up, the machine itself goes on, and the log is whole. */
  async killedWithoutEnd(): Promise<void> {
    const machine = this.#machine;
    for (let tries = 0; tries < 240; tries++) {
      if (/ActiveState=failed/.test(machine.do(...properties))) break;
      this.#signal("KILL");
      await sleep(250);
    }
    await machine.until(/ActiveState=failed/, 60, ...properties);
    assert.match(machine.run("systemctl", "is-system-running").out, /running|degraded/);
    await this.#startAgain();
  }

  async removedAndPurged(): Promise<void> {
    const machine = this.#machine;
    machine.do("apt-get", "remove", "-y", "ledge");
    assert.match(machine.do("ls", "/var/lib/ledge"), /log/);
    machine.do("apt-get", "purge", "-y", "ledge");
    machine.do("rm", "-f", deb, profile);
    const left = filesOf(machine).filter((path) => !this.#before.includes(path));
    assert.deepEqual(left, []);
    assert.notEqual(machine.run("getent", "passwd", "ledge").code, 0);
  }

  async #serves(): Promise<void> {
    await this.#machine.until(/HUB_META_DATA/, 60, "curl", "-s", `${hub}/hub`);
  }

  async #keepsItsRoom(): Promise<void> {
    await this.#serves();
    assert.match(this.#call(`${api}/rooms`), /Cellar/);
  }

  async #startAgain(): Promise<void> {
    this.#machine.do("systemctl", "reset-failed", "ledge");
    this.#machine.do("systemctl", "start", "ledge");
    await this.#keepsItsRoom();
  }

  #call(...rest: readonly string[]): string {
    return this.#machine.do("curl", "-s", "--fail-with-body", "-H", `Authorization: ${this.#key}`, ...rest);
  }

  #pid(): string {
    return /MainPID=(\d+)/.exec(this.#machine.do(...properties))?.[1] ?? "0";
  }

  #signal(name: string): void {
    const pid = this.#pid();
    // Process 0 would be all that this program belongs to.
    if (pid !== "0") this.#machine.run("sh", "-c", `kill -${name} ${pid}`);
  }
}

/** The parts of the trial in their order. */
const parts = [
  "install",
  "claim",
  "killed",
  "restartedOverHttp",
  "hung",
  "updated",
  "unusableProfile",
  "killedWithoutEnd",
  "removedAndPurged",
] as const;

/**
 * Installs the package on a machine, lets the hub meet what ends it, updates it, and removes it again.
 * @returns the seconds that each part took
 */
export async function tryDeb(machine: Machine, file: string): Promise<Readonly<Record<string, number>>> {
  const trial = new DebTrial(machine, file);
  const seconds: Record<string, number> = {};
  for (const part of parts) {
    const from = performance.now();
    await trial[part]();
    seconds[part] = secondsSince(from);
  }
  return seconds;
}

/** Files outside what systemd and dpkg keep of any package. */
function filesOf(machine: Machine): readonly string[] {
  const kept = ["cache", "lib/apt", "lib/dpkg", "log", "tmp"].map((path) => `/var/${path}`);
  const apart = ["/proc", "/sys", "/dev", "/run", "/tmp", ...kept];
  const pruned = apart.flatMap((path) => ["-path", path, "-prune", "-o"]);
  return machine
    .do("find", "/", ...pruned, "-print")
    .split("\n")
    .toSorted();
}
