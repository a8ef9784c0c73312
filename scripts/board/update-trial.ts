import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { answered, Client, codeOf } from "./client.ts";
import { Shell } from "./shell.ts";
import { Stopwatch } from "./stopwatch.ts";
import {
  ask,
  hasOutcome,
  leaves,
  Machines,
  reaches,
  rebooted,
  refuses,
  remember,
  room,
  type Running,
  settled,
  updateOf,
  type UpdateTrial,
} from "./update-machine.ts";
import {
  announce,
  Feed,
  makeBundle,
  makeChanged,
  makeRelease,
  makeSmall,
  signerIn,
} from "./update-release.ts";

/** The releases that the image is updated to: newer than any. The second one does not serve. */
const [next, broken] = ["1000.0.0", "1000.0.1"] as const;

type Seconds = Readonly<Record<string, number>>;

/** Phases of an installation in their order, and what the old release says of a power cut in one. */
const phases = {
  FETCHING: { version: null, message: /interrupted before anything was installed/ },
  CHECKING: { version: null, message: /interrupted before anything was installed/ },
  INSTALLING: { version: next, message: /the release that ran goes on/ },
} as const;

export type Phase = keyof typeof phases;
export const cutPhases = Object.keys(phases) as readonly Phase[];

/** The disk as a power cut in a phase leaves it. */
const diskOf = ({ folder }: UpdateTrial, phase: string): string => join(folder, `${phase}.img`);
const releaseIn = ({ folder }: UpdateTrial, name: string): string => join(folder, "releases", name);
const feedOf = ({ folder, port }: UpdateTrial): Promise<Feed> => Feed.serve(join(folder, "feed"), port);

/**
 * Boots a new image, claims its hub, and installs a release. In each phase it copies the disk, as a power cut would
 * leave it; at the end the disk has the release in the other slot, and waits for its first boot.
 */
export async function tryInstall(trial: UpdateTrial): Promise<{ seconds: Seconds; asked: number }> {
  const watch = new Stopwatch();
  const feed = await feedOf(trial);
  const making = makeRelease(trial.files, trial.profile, releaseIn(trial, "next"), {
    version: next,
    signer: trial.signer,
  });
  // Nobody may wait for it yet when it fails.
  making.catch(() => {});
  const machines = new Machines(trial, "installed", trial.files.disk);
  try {
    const machine = await machines.start();
    await watch.timed("first boot", () => answered(machine));
    const client = new Client(machine.apiPort);
    await client.claim(await codeOf(machine));
    const { phase, previous, release } = await updateOf(client);
    assert.deepEqual([phase, previous], ["IDLE", null]);
    await client.call("PUT", "/rooms", [{ type: "CMD_ROOM", name: room }]);
    remember(trial, { key: client.key, release });
    await watch.timed("the release is made", () => making);
    feed.offer(releaseIn(trial, "next"));
    const running = { machine, client };
    const asked = await watch.timed("FETCHING", () => fetches(trial, running));
    await machine.copyDisk(diskOf(trial, "CHECKING"));
    await watch.timed("CHECKING", () => reaches(running, "INSTALLING", ["CHECKING"]));
    await machine.copyDisk(diskOf(trial, "INSTALLING"));
    await watch.timed("INSTALLING", () => rebooted(running));
    return { seconds: watch.seconds, asked };
  } finally {
    await machines.cutPower();
    feed.close();
  }
}

/**
 * Asks for an update, copies the disk, and waits until the bundle is checked. A person whose fetch has failed asks again.
 * @returns how often it was asked for
 */
async function fetches(trial: UpdateTrial, running: Running): Promise<number> {
  for (let asked = 1; ; asked++) {
    await ask(running.client);
    await reaches(running, "FETCHING", []);
    await running.machine.copyDisk(diskOf(trial, "FETCHING"));
    const { phase, outcome } = await leaves(running, "FETCHING");
    if (phase === "CHECKING") return asked;
    assert.ok(asked < 3, `${phase}: ${outcome?.message}`);
    console.error(`asked once more, as ${outcome?.message}`);
  }
}

/** Boots what a power cut in a phase has left: the old release goes on, says that the update failed, and has lost nothing. */
export async function tryCut(trial: UpdateTrial, phase: Phase): Promise<Seconds> {
  const watch = new Stopwatch();
  const machines = new Machines(trial, `after-${phase}`, diskOf(trial, phase));
  try {
    const { client } = await watch.timed("boot", () => machines.boot("A"));
    await hasOutcome(client, machines.memory, { result: "FAILED", ...phases[phase] });
    return watch.seconds;
  } finally {
    await machines.cutPower();
  }
}

/** Boots a release that was installed, copies the disk of its trial, has it kept after a minute, and goes back from it. */
export async function tryKeep(trial: UpdateTrial): Promise<Seconds> {
  const watch = new Stopwatch();
  const machines = new Machines(trial, "kept", join(trial.folder, "installed.img"));
  const { memory } = machines;
  try {
    const running = await watch.timed("first boot of the new release", () =>
      machines.boot("B", { shell: true }),
    );
    const { phase, release } = await updateOf(running.client);
    assert.deepEqual([phase, release], ["TRIAL", next]);
    await running.machine.copyDisk(diskOf(trial, "TRIAL"));
    const kept = await watch.timed("trial", () => settled(running));
    assert.deepEqual(
      [kept.release, kept.outcome?.result, kept.outcome?.version, kept.previous?.version],
      [next, "INSTALLED", next, memory.release],
    );
    assert.deepEqual(await running.client.rooms(), [room]);
    const shell = await Shell.at(running.machine.shellPort);
    await watch.timed("rollback", async () => {
      assert.match(await shell.run("ledge update status"), /which reads the log as it is/);
      shell.send("ledge update rollback");
      await running.machine.ended();
    });
    shell.close();
    const { client } = await watch.timed("boot of the old release", () => machines.boot("A"));
    await hasOutcome(client, memory, { result: "ROLLED_BACK", version: next, message: /was asked back/ });
    return watch.seconds;
  } finally {
    await machines.cutPower();
  }
}

/** Makes what must be refused before anybody looks at what would be written. */
function makeRefused(trial: UpdateTrial): void {
  const { folder, profile, signer } = trial;
  const small = makeSmall(folder);
  const stranger = signerIn(folder, "stranger");
  makeBundle(releaseIn(trial, "foreign"), { ...small, profile, version: next, ...stranger });
  makeChanged(releaseIn(trial, "changed"), { ...small, profile, version: next, ...signer });
  // A feed cannot bring an old release back by another name.
  makeBundle(releaseIn(trial, "older"), { ...small, profile, version: "0.0.1", ...signer });
  announce(releaseIn(trial, "older"), next);
}

/**
 * Boots what a power cut during a trial has left, has it refuse what must not be installed, and then install a release
 * that does not serve. That is left without anybody's help.
 */
export async function tryLeave(trial: UpdateTrial): Promise<Seconds> {
  const watch = new Stopwatch();
  const feed = await feedOf(trial);
  // Without a hub it is smaller, and sooner installed.
  const change = (root: string): void => rmSync(join(root, "opt/ledge"), { recursive: true });
  const { files, profile, signer } = trial;
  const making = makeRelease(files, profile, releaseIn(trial, "broken"), { version: broken, signer, change });
  making.catch(() => {});
  makeRefused(trial);
  const machines = new Machines(trial, "left", diskOf(trial, "TRIAL"));
  const { memory } = machines;
  try {
    const running = await watch.timed("boot after a cut while TRIAL", () =>
      machines.boot("A", { shell: true }),
    );
    const unserved = { result: "ROLLED_BACK", version: next, message: /did not serve for a minute/ };
    await hasOutcome(running.client, memory, unserved);
    await watch.timed("refusals", async () => {
      feed.offer(releaseIn(trial, "changed"));
      await refuses(running, /changed after it was signed/);
      feed.offer(releaseIn(trial, "foreign"));
      await refuses(running, /not signed by a key that this machine trusts/);
      feed.offer(releaseIn(trial, "older"));
      await refuses(running, /older than/);
      await making;
      feed.offer(releaseIn(trial, "broken"));
      const shell = await Shell.at(running.machine.shellPort);
      await shell.run("fallocate -l $(($(stat -f -c '%a * %S' /var) - 100000000)) /var/full");
      await refuses(running, /too full/);
      await shell.run("rm /var/full");
      shell.close();
    });
    await watch.timed("what does not serve is installed", async () => {
      await ask(running.client);
      await rebooted(running);
    });
    await watch.timed("it is left", async () => {
      // Nobody talks to it: its quarter of an hour need not be waited for.
      const machine = await machines.start({ skipsIdle: true });
      await machine.ended();
      assert.match(machine.said, /slot B is booted/);
      assert.match(machine.said, /reboot: Restarting system/);
    });
    const { client } = await watch.timed("boot of the old release", () => machines.boot("A"));
    await hasOutcome(client, memory, { result: "ROLLED_BACK", version: broken, message: /did not start/ });
    return watch.seconds;
  } finally {
    await machines.cutPower();
    feed.close();
  }
}
