import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createReadStream, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { once } from "node:events";
import { makeSelfSigned } from "@ledge/host/self-signed";
import { answered, Client, codeOf } from "./client.ts";
import { buildImage, type ImageBase } from "./image.ts";
import { VirtualMachine } from "./qemu.ts";
import { buildBundle } from "./update-bundle.ts";

/** An emulated machine is twenty times as slow as a board, and slower on a busy one. */
const bootSeconds = 1500;
/** QEMU's name for this machine. */
const host = "10.0.2.2";

interface Update {
  readonly release: string;
  readonly phase: string;
  readonly outcome: {
    readonly result: string;
    readonly version: string;
    readonly message: string | null;
  } | null;
  readonly previous: { readonly version: string } | null;
}

/**
 * Boots an image, takes the power away in each phase of an update, has it install a newer release, reboots into that, sees it kept after it has served,
 * refuses a changed bundle, and leaves a release that does not serve at the next boot.
 * @param profile file of the board's profile
 * @param folder for all that is made
 * @returns seconds of this machine that each part took
 */
export async function tryUpdate(
  base: ImageBase,
  profile: string,
  folder: string,
): Promise<Readonly<Record<string, number>>> {
  const seconds: Record<string, number> = {};
  const timed: Timed = async (name, work) => {
    const from = performance.now();
    const result = await work();
    seconds[name] = Math.round((performance.now() - from) / 100) / 10;
    return result;
  };
  const signer = newSigner(folder);
  const feed = await serve(folder);
  const { name, ...rest } = JSON.parse(readFileSync(profile, "utf8")) as { name: string };
  const own = join(folder, `${name}.json`);
  writeFileSync(
    own,
    JSON.stringify({ name, ...rest, updates: { url: `http://${host}:${portOf(feed)}/newest.json` } }),
  );
  const image = join(folder, "image");
  const files = await timed("image", () => buildImage(base, own, image, signer.certificate));
  const bundle = (version: string, change: (root: string) => void): void => {
    const root = repacked(files.root, folder, (tree) => {
      const file = join(tree, "opt/ledge/package.json");
      const about = JSON.parse(readFileSync(file, "utf8")) as object;
      writeFileSync(file, JSON.stringify({ ...about, version }));
      change(tree);
    });
    buildBundle({ boot: files.boot, root, profile: name, version, ...signer }, join(folder, "newest.raucb"));
  };
  let count = 0;
  let machine: VirtualMachine | undefined;
  const start = async (): Promise<VirtualMachine> => {
    machine = await VirtualMachine.start(files, join(folder, `console-${(count += 1)}`));
    return machine;
  };
  try {
    await timed("bundle", () => bundle("0.3.0", () => {}));
    const client = await keepsWhatServes(await survivesCuts(start, timed), start, timed);
    await refusesChanged(client, currentOf(machine), join(folder, "newest.raucb"), () =>
      bundle("0.4.0", (root) => writeFileSync(join(root, "opt/ledge/lib/hub.mjs"), "process.exit(70);\n")),
    );
    await leavesWhatDoesNotServe(client, currentOf(machine), start, timed);
    return seconds;
  } finally {
    await machine?.cutPower();
    feed.close();
  }
}

type Timed = <T>(name: string, work: () => T | Promise<T>) => Promise<T>;
type Start = () => Promise<VirtualMachine>;

/** A machine, and a client that has claimed its hub. */
interface Claimed {
  readonly machine: VirtualMachine;
  readonly client: Client;
}

/** Takes the power away in each phase before the reboot: the old release is booted, and says that the update failed. */
async function survivesCuts(start: Start, timed: Timed): Promise<Claimed> {
  let machine = await start();
  await timed("boot", () => answered(machine, bootSeconds));
  let client = new Client(machine.apiPort);
  await client.claim(await codeOf(machine));
  const { phase, previous, release } = await updateOf(client);
  assert.deepEqual([phase, previous], ["IDLE", null]);
  await client.call("PUT", "/rooms", [{ type: "CMD_ROOM", name: "Cellar" }]);
  for (const cut of ["FETCHING", "CHECKING", "INSTALLING"]) {
    await timed(`cut while ${cut}`, async () => {
      await client.call("POST", "/hub/update", { action: "INSTALL" });
      await machine.until(cut, bootSeconds, async () => {
        return (await updateOf(client)).phase === cut ? true : undefined;
      });
      await machine.cutPower();
      machine = await start();
      await answered(machine, bootSeconds);
      client = client.at(machine.apiPort);
      assert.match(machine.said, /slot A is booted/);
      const after = await updateOf(client);
      assert.deepEqual([after.release, after.phase, after.outcome?.result], [release, "IDLE", "FAILED"], cut);
      assert.deepEqual(await client.rooms(), ["Cellar"]);
    });
  }
  return { machine, client };
}

/** Installs what the feed offers, reboots into it, and sees it kept. @returns a client of the machine that runs */
async function keepsWhatServes({ machine, client }: Claimed, start: Start, timed: Timed): Promise<Client> {
  const before = await updateOf(client);
  await timed("install", () => install(machine, client));
  const updated = await start();
  await timed("boot into the update", () => answered(updated, bootSeconds));
  const again = client.at(updated.apiPort);
  assert.match(updated.said, /slot B is booted/);
  assert.equal((await updateOf(again)).release, "0.3.0");
  const kept = await timed("trial", () => settled(updated, again));
  assert.deepEqual(
    [kept.outcome?.result, kept.outcome?.version, kept.previous?.version],
    ["INSTALLED", "0.3.0", before.release],
  );
  assert.deepEqual(await again.rooms(), ["Cellar"]);
  return again;
}

/** Refuses a bundle that is signed as it should be, then changed in the middle. */
async function refusesChanged(
  client: Client,
  machine: VirtualMachine,
  file: string,
  bundle: () => void,
): Promise<void> {
  bundle();
  const whole = readFileSync(file);
  const changed = Buffer.from(whole);
  const at = Math.floor(whole.length / 2);
  changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
  writeFileSync(file, changed);
  await client.call("POST", "/hub/update", { action: "INSTALL" });
  const refused = await settled(machine, client);
  assert.match(refused.outcome?.message ?? "", /changed after it was signed/);
  writeFileSync(file, whole);
}

/** Installs a release that does not serve, and sees the one before at the next boot. */
async function leavesWhatDoesNotServe(
  client: Client,
  machine: VirtualMachine,
  start: Start,
  timed: Timed,
): Promise<void> {
  await timed("install of a release that does not serve", () => install(machine, client));
  const broken = await start();
  await timed("boot of it", () =>
    broken.until("the hub is started", bootSeconds, async () =>
      /slot A is booted/.test(broken.said) && /Ledge automation hub/.test(broken.said) ? true : undefined,
    ),
  );
  await broken.cutPower();
  const restarted = await start();
  await timed("boot back", () => answered(restarted, bootSeconds));
  const again = client.at(restarted.apiPort);
  assert.match(restarted.said, /slot B is booted/);
  const back = await updateOf(again);
  assert.deepEqual(
    [back.release, back.outcome?.result, back.outcome?.version],
    ["0.3.0", "ROLLED_BACK", "0.4.0"],
  );
  assert.deepEqual(await again.rooms(), ["Cellar"]);
}

function currentOf(machine: VirtualMachine | undefined): VirtualMachine {
  assert.ok(machine !== undefined, "no machine was started");
  return machine;
}

/** Makes a key, and a certificate that images trust. */
function newSigner(folder: string): { key: string; certificate: string } {
  const { key, certificate } = makeSelfSigned("Ledge trial");
  const signer = { key: join(folder, "signer.key"), certificate: join(folder, "signer.pem") };
  writeFileSync(signer.key, key);
  writeFileSync(signer.certificate, certificate);
  return signer;
}

function updateOf(client: Client): Promise<Update> {
  return client.call<Update>("GET", "/hub/update");
}

/** Installs what the feed offers, and waits for the reboot. */
async function install(machine: VirtualMachine, client: Client): Promise<void> {
  await client.call("POST", "/hub/update", { action: "INSTALL" });
  await machine.ended(bootSeconds);
}

/** Waits until an update has ended. */
function settled(machine: VirtualMachine, client: Client): Promise<Update> {
  return machine.until("the update ends", bootSeconds, async () => {
    const update = await updateOf(client);
    return update.phase === "IDLE" ? update : undefined;
  });
}

/** Serves the feed and the bundle in a folder. */
async function serve(folder: string): Promise<Server> {
  const server = createServer((request, response) => {
    const name = /^\/(newest\.(?:json|raucb))$/.exec(request.url ?? "")?.[1];
    if (name === undefined) return void response.writeHead(404).end();
    response.setHeader("content-length", statSync(join(folder, name)).size);
    createReadStream(join(folder, name)).pipe(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return address.port;
}

/** Changes the root file system in a squashfs. @returns the changed one */
function repacked(slot: string, folder: string, change: (root: string) => void): string {
  const [root, out] = [join(folder, "repacked"), join(folder, "repacked.squashfs")];
  for (const path of [root, out]) rmSync(path, { recursive: true, force: true });
  execFileSync("unsquashfs", ["-quiet", "-no-progress", "-dest", root, slot], { stdio: "ignore" });
  change(root);
  const packing = ["-noappend", "-quiet", "-no-progress", "-comp", "zstd", "-Xcompression-level", "3"];
  execFileSync("mksquashfs", [root, out, ...packing], { stdio: "ignore" });
  rmSync(root, { recursive: true });
  return out;
}
