import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { answered, Client, codeOf } from "./client.ts";
import type { ImageFiles } from "./image.ts";
import { VirtualMachine } from "./qemu.ts";
import { Shell } from "./shell.ts";
import { runStages } from "./stages.ts";
import {
  announce,
  Feed,
  makeBundle,
  makeChanged,
  makeRelease,
  makeSmall,
  type Signer,
  signerIn,
} from "./update-release.ts";

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
 * Boots an image, takes its power away in each phase of an update, has it refuse what must not be installed, leave a
 * release that does not serve, keep one that has served, and go back from it on request.
 * @param files the image; its disk is written to
 * @returns seconds of this machine that each stage took
 */
export async function tryUpdate(
  files: ImageFiles,
  options: UpdateOptions,
): Promise<Readonly<Record<string, number>>> {
  const { folder, port, isKept } = options;
  const releases = await makeReleases(files, options);
  const feed = await Feed.serve(join(folder, "feed"), port);
  const machines = new Machines(files, folder);
  const trial: Trial = {
    machines,
    offer: async (name) => feed.offer(await releases[name]),
  };
  await trial.offer("next");
  try {
    return await runStages<Memory>(
      { disk: files.disk, folder, isKept },
      { key: "", release: "" },
      { ...firstStages(trial), ...refusalStages(trial), ...brokenStages(trial), ...keptStages(trial) },
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
  readonly offer: (name: ReleaseName) => Promise<void>;
}

type ReleaseName = "next" | "broken" | "foreign" | "changed" | "older";
type Stages = Readonly<Record<string, (memory: Memory) => Promise<Memory>>>;

/** @returns folder of each release. The one that does not serve is made while the first stages run. */
async function makeReleases(
  files: ImageFiles,
  { folder, signer, profile }: UpdateOptions,
): Promise<Readonly<Record<ReleaseName, string | Promise<string>>>> {
  const of = (name: ReleaseName): string => join(folder, "releases", name);
  await makeRelease(files, profile, of("next"), { version: next, signer });
  // These are refused before anybody looks at what would be written.
  const small = makeSmall(folder);
  const stranger = signerIn(folder, "stranger");
  makeBundle(of("foreign"), { ...small, profile, version: next, ...stranger });
  makeChanged(of("changed"), { ...small, profile, version: next, ...signer });
  // A feed cannot bring an old release back by another name.
  makeBundle(of("older"), { ...small, profile, version: "0.0.1", ...signer });
  announce(of("older"), next);
  const change = (root: string): void =>
    writeFileSync(join(root, "opt/ledge/lib/hub.mjs"), "process.exit(70);\n");
  return {
    next: of("next"),
    foreign: of("foreign"),
    changed: of("changed"),
    older: of("older"),
    broken: makeRelease(files, profile, of("broken"), { version: broken, signer, change }).then(() =>
      of("broken"),
    ),
  };
}

/** The first boot. The power goes before anything was installed. */
function firstStages({ machines }: Trial): Stages {
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
  };
}

/** What must not be installed is refused. A trial that the power ends is over. */
function refusalStages({ machines, offer }: Trial): Stages {
  return {
    "refuse, then install": async (memory) => {
      const running = await goesOn(machines, memory, { shell: true });
      await offer("changed");
      await refuses(running, /changed after it was signed/);
      await offer("foreign");
      await refuses(running, /not signed by a key that this machine trusts/);
      await offer("older");
      await refuses(running, /older than/);
      await offer("next");
      const shell = await Shell.at(running.machine.shellPort);
      await shell.run("fallocate -l $(($(stat -f -c '%a * %S' /var) - 150000000)) /var/full");
      await refuses(running, /too full/);
      await shell.run("rm /var/full");
      shell.close();
      await installs(running);
      return memory;
    },
    "cut while TRIAL": async (memory) => {
      const { machine, client } = await booted(machines, memory, "B");
      const { phase, release } = await updateOf(client);
      assert.deepEqual([phase, release], ["TRIAL", next]);
      await machine.cutPower();
      return memory;
    },
  };
}

/** A release that does not serve is left without anybody's help. */
function brokenStages({ machines, offer }: Trial): Stages {
  return {
    "install what does not serve": async (memory) => {
      const running = await booted(machines, memory, "A");
      await leftBehind(running.client, memory, next, /did not serve for a minute/);
      await offer("broken");
      await installs(running);
      return memory;
    },
    "leave what does not serve": async (memory) => {
      // Nobody talks to it: its quarter of an hour need not be waited for.
      const machine = await machines.start({ skipsIdle: true });
      await machine.ended();
      assert.match(machine.said, /slot B is booted/);
      assert.match(machine.said, /reboot: Restarting system/);
      return memory;
    },
    "serve as before, then install": async (memory) => {
      const running = await booted(machines, memory, "A");
      await leftBehind(running.client, memory, broken, /did not start/);
      await offer("next");
      await installs(running);
      return memory;
    },
  };
}

/** What serves is kept, until somebody wants the old release back. Then the power goes in the other phases. */
function keptStages({ machines }: Trial): Stages {
  return {
    "keep, then go back": async (memory) => {
      const { machine, client } = await booted(machines, memory, "B", { shell: true });
      const kept = await settled(machine, client);
      assert.deepEqual(
        [kept.release, kept.outcome?.result, kept.outcome?.version, kept.previous?.version],
        [next, "INSTALLED", next, memory.release],
      );
      assert.deepEqual(await client.rooms(), ["Cellar"]);
      const shell = await Shell.at(machine.shellPort);
      assert.match(await shell.run("ledge update status"), /which reads the log as it is/);
      shell.send("ledge update rollback");
      await machine.ended();
      shell.close();
      return memory;
    },
    "cut while CHECKING": async (memory) => {
      const running = await booted(machines, memory, "A");
      await leftBehind(running.client, memory, next, /was asked back/);
      await cutWhile("CHECKING", running);
      return memory;
    },
    "cut while INSTALLING": async (memory) => {
      await cutWhile("INSTALLING", await goesOn(machines, memory));
      return memory;
    },
    "go on with the old release": async (memory) => {
      const { machine } = await goesOn(machines, memory);
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
  const reached = await machine.until(phase, async () => {
    const update = await updateOf(client);
    return update.phase === phase || update.phase === "IDLE" ? update : undefined;
  });
  assert.equal(reached.phase, phase, JSON.stringify(reached));
  await machine.cutPower();
}

/** Boots after a power cut: the old release runs, says that the update failed, and has lost nothing. */
async function goesOn(
  machines: Machines,
  memory: Memory,
  options: Parameters<Machines["start"]>[0] = {},
): Promise<Running> {
  const running = await booted(machines, memory, "A", options);
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
  await machine.ended(async () => {
    const { phase, outcome } = await updateOf(client);
    return phase === "IDLE" ? `it was not installed: ${outcome?.message}` : undefined;
  });
}

function updateOf(client: Client): Promise<Update> {
  return client.call<Update>("GET", "/hub/update");
}

/** Waits until an update has ended. */
function settled(machine: VirtualMachine, client: Client): Promise<Update> {
  return machine.until("the update ends", async () => {
    const update = await updateOf(client);
    return update.phase === "IDLE" ? update : undefined;
  });
}
