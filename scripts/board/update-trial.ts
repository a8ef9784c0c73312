import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { answered, Client, codeOf } from "./client.ts";
import type { ImageFiles } from "./image.ts";
import { patience, VirtualMachine } from "./qemu.ts";
import { Shell } from "./shell.ts";
import { runStages } from "./stages.ts";
import { changeOneBit, Feed, makeRelease, type Signer, signAgain, signerIn } from "./update-release.ts";

/** The releases that the image is updated to: newer than any. The second one does not serve. */
const [next, broken] = ["1000.0.0", "1000.0.1"] as const;

interface Update {
  readonly release: string;
  readonly phase: string;
  readonly outcome: {
    readonly result: string;
    readonly version: string | null;
    readonly message: string | null;
  } | null;
  readonly previous: { readonly version: string } | null;
}

/** What a stage leaves to the next one: what the client identifies itself by, and the release of the image. */
interface Memory {
  readonly key: string;
  readonly release: string;
}

export interface UpdateOptions {
  /** Name of the image's profile. */
  readonly profile: string;
  /** The image trusts its certificate. */
  readonly signer: Signer;
  /** The image's feed is at this port. */
  readonly port: number;
  /** For all that is made. */
  readonly folder: string;
  readonly isKept: boolean;
}

/** A machine that runs, and a client of its hub. */
interface Running {
  readonly machine: VirtualMachine;
  readonly client: Client;
}

/**
 * Boots an image, takes its power away in each phase of an update, has it refuse what is not signed as it should be,
 * install a newer release, keep it once it has served, go back on request, and leave a release that does not serve.
 * @param files the image; its disk is written to
 * @returns seconds of this machine that each stage took
 */
export async function tryUpdate(
  files: ImageFiles,
  options: UpdateOptions,
): Promise<Readonly<Record<string, number>>> {
  const { folder, port, isKept } = options;
  const releases = makeReleases(files, options);
  const feed = await Feed.serve(join(folder, "feed"), port);
  const machines = new Machines(files, folder);
  const trial: Trial = {
    machines,
    offer: (name) => feed.offer(releases[name]),
  };
  trial.offer("next");
  try {
    return await runStages<Memory>(
      { disk: files.disk, folder, isKept },
      { key: "", release: "" },
      { ...cutStages(trial), ...keptStages(trial), ...brokenStages(trial) },
    );
  } finally {
    await machines.cutPower();
    feed.close();
  }
}

/** What the stages share. */
interface Trial {
  readonly machines: Machines;
  /** Has the feed offer a release. */
  readonly offer: (name: ReleaseName) => void;
}

type ReleaseName = "next" | "broken" | "foreign" | "changed";
type Stages = Readonly<Record<string, (memory: Memory) => Promise<Memory>>>;

/** @returns folder of each release */
function makeReleases(
  files: ImageFiles,
  { folder, signer, profile }: UpdateOptions,
): Readonly<Record<ReleaseName, string>> {
  const releases = join(folder, "releases");
  const of = {
    next: join(releases, "next"),
    broken: join(releases, "broken"),
    foreign: join(releases, "foreign"),
    changed: join(releases, "changed"),
  };
  makeRelease(files, profile, of.next, { version: next, signer });
  makeRelease(files, profile, of.broken, {
    version: broken,
    signer,
    change: (root) => writeFileSync(join(root, "opt/ledge/lib/hub.mjs"), "process.exit(70);\n"),
  });
  const stranger = signerIn(folder, "stranger");
  signAgain(files, profile, { of: of.next, folder: of.foreign, version: next, signer: stranger });
  changeOneBit(of.next, of.changed);
  return of;
}

/** The power goes in each phase: the old release is booted, and says that the update failed. */
function cutStages({ machines }: Trial): Stages {
  return {
    "cut while FETCHING": async () => {
      const machine = await machines.start();
      await answered(machine);
      const client = new Client(machine.apiPort);
      await client.claim(await codeOf(machine));
      const { phase, previous, release } = await updateOf(client);
      assert.deepEqual([phase, previous], ["IDLE", null]);
      await client.call("PUT", "/rooms", [{ type: "CMD_ROOM", name: "Cellar" }]);
      await cutWhile("FETCHING", { machine, client });
      return { key: client.key, release };
    },
    "cut while CHECKING": async (memory) => {
      await cutWhile("CHECKING", await goesOn(machines, memory));
      return memory;
    },
    "cut while INSTALLING": async (memory) => {
      await cutWhile("INSTALLING", await goesOn(machines, memory));
      return memory;
    },
  };
}

/** What is not signed as it should be is refused; what serves is kept, until somebody wants the old release back. */
function keptStages({ machines, offer }: Trial): Stages {
  return {
    "refuse, then install": async (memory) => {
      const running = await goesOn(machines, memory);
      offer("changed");
      await refuses(running, /changed after it was signed/);
      offer("foreign");
      await refuses(running, /not signed by a key that this machine trusts/);
      offer("next");
      await installs(running);
      return memory;
    },
    "keep, then go back": async (memory) => {
      const { machine, client } = await booted(machines, memory, "B", { shell: true });
      const kept = await settled(machine, client);
      assert.deepEqual(
        [kept.release, kept.outcome?.result, kept.outcome?.version, kept.previous?.version],
        [next, "INSTALLED", next, memory.release],
      );
      assert.deepEqual(await client.rooms(), ["Cellar"]);
      const shell = await Shell.at(machine.shellPort);
      assert.match(await shell.run("ledge update status", patience), /which reads the log as it is/);
      shell.send("ledge update rollback");
      await machine.ended(patience);
      shell.close();
      return memory;
    },
  };
}

/** A release that does not serve is left without anybody's help. */
function brokenStages({ machines, offer }: Trial): Stages {
  return {
    "install what does not serve": async (memory) => {
      const running = await booted(machines, memory, "A");
      await leftBehind(running.client, memory, next, /was asked back/);
      offer("broken");
      await installs(running);
      return memory;
    },
    "leave what does not serve": async (memory) => {
      // Nobody talks to it: its quarter of an hour need not be waited for.
      const machine = await machines.start({ skipsIdle: true });
      await machine.ended(patience);
      assert.match(machine.said, /slot B is booted/);
      assert.match(machine.said, /reboot: Restarting system/);
      return memory;
    },
    "serve as before": async (memory) => {
      const { machine, client } = await booted(machines, memory, "A");
      await leftBehind(client, memory, broken, /did not start/);
      await machine.cutPower();
      return memory;
    },
  };
}

/** The machines that are started on one disk, one after the other. */
class Machines {
  readonly #files: ImageFiles;
  readonly #folder: string;
  #count = 0;
  #last: VirtualMachine | undefined;

  constructor(files: ImageFiles, folder: string) {
    this.#files = files;
    this.#folder = folder;
  }

  async start(options: Parameters<typeof VirtualMachine.start>[2] = {}): Promise<VirtualMachine> {
    await this.cutPower();
    const console = join(this.#folder, `update-${(this.#count += 1)}.console`);
    this.#last = await VirtualMachine.start(this.#files, console, options);
    return this.#last;
  }

  async cutPower(): Promise<void> {
    await this.#last?.cutPower();
  }
}

/** Boots, and waits for the hub. */
async function booted(
  machines: Machines,
  { key }: Memory,
  slot: "A" | "B",
  options: Parameters<Machines["start"]>[0] = {},
): Promise<Running> {
  const machine = await machines.start(options);
  await answered(machine);
  assert.match(machine.said, new RegExp(`slot ${slot} is booted`));
  return { machine, client: new Client(machine.apiPort, key) };
}

/** Asks for the update, and takes the power away as soon as it is in a phase. */
async function cutWhile(phase: string, { machine, client }: Running): Promise<void> {
  await client.call("POST", "/hub/update", { action: "INSTALL" });
  await machine.until(phase, patience, async () =>
    (await updateOf(client)).phase === phase ? true : undefined,
  );
  await machine.cutPower();
}

/** Boots after a power cut: the old release runs, says that the update failed, and has lost nothing. */
async function goesOn(machines: Machines, memory: Memory): Promise<Running> {
  const running = await booted(machines, memory, "A");
  const { release, phase, outcome } = await updateOf(running.client);
  assert.deepEqual([release, phase, outcome?.result], [memory.release, "IDLE", "FAILED"]);
  assert.deepEqual(await running.client.rooms(), ["Cellar"]);
  return running;
}

/** The image's own release runs again, knows why, and has lost nothing. */
async function leftBehind(
  client: Client,
  { release }: Memory,
  version: string,
  message: RegExp,
): Promise<void> {
  const update = await updateOf(client);
  assert.deepEqual(
    [update.release, update.phase, update.outcome?.result, update.outcome?.version],
    [release, "IDLE", "ROLLED_BACK", version],
  );
  assert.match(update.outcome?.message ?? "", message);
  assert.deepEqual(await client.rooms(), ["Cellar"]);
}

async function refuses({ machine, client }: Running, message: RegExp): Promise<void> {
  await client.call("POST", "/hub/update", { action: "INSTALL" });
  const { outcome } = await settled(machine, client);
  assert.equal(outcome?.result, "FAILED");
  assert.match(outcome?.message ?? "", message);
}

/** Installs what the feed offers, and waits for the reboot. */
async function installs({ machine, client }: Running): Promise<void> {
  await client.call("POST", "/hub/update", { action: "INSTALL" });
  await machine.ended(patience);
}

function updateOf(client: Client): Promise<Update> {
  return client.call<Update>("GET", "/hub/update");
}

/** Waits until an update has ended. */
function settled(machine: VirtualMachine, client: Client): Promise<Update> {
  return machine.until("the update ends", patience, async () => {
    const update = await updateOf(client);
    return update.phase === "IDLE" ? update : undefined;
  });
}
