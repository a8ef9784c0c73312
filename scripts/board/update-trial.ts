import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createReadStream, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { once } from "node:events";
import { makeSelfSigned } from "@ledge/host/self-signed";
import { buildImage, type ImageFiles } from "./image.ts";
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
 * Boots an image, has it install a newer release from a feed, reboots into that, sees it kept after it has served,
 * goes back by hand, and sees a release that does not serve left at the next boot, and a changed bundle refused.
 * @param base archive of the Debian's root file system
 * @param profile file of the board's profile
 * @param folder for all that is made
 * @returns seconds of this machine that each part took
 */
export async function tryUpdate(
  base: string,
  profile: string,
  folder: string,
): Promise<Readonly<Record<string, number>>> {
  const seconds: Record<string, number> = {};
  const timed = async <T>(name: string, work: () => T | Promise<T>): Promise<T> => {
    const from = performance.now();
    const result = await work();
    seconds[name] = Math.round((performance.now() - from) / 100) / 10;
    return result;
  };
  const { key, certificate } = makeSelfSigned("Ledge trial");
  const signer = { key: join(folder, "signer.key"), certificate: join(folder, "signer.pem") };
  writeFileSync(signer.key, key);
  writeFileSync(signer.certificate, certificate);
  const feed = await serve(folder);
  const { name, ...rest } = JSON.parse(readFileSync(profile, "utf8")) as { name: string };
  const own = join(folder, `${name}.json`);
  const url = `http://${host}:${portOf(feed)}/newest.json`;
  writeFileSync(own, JSON.stringify({ name, ...rest, updates: { url } }));
  const files = await timed("image", () => buildImage(base, own, join(folder, "image"), signer.certificate));
  const bundle = (version: string, change: (root: string) => void): void => {
    const slot = repacked(join(folder, "image", "root.squashfs"), folder, (root) => {
      const about = join(root, "opt/ledge/package.json");
      writeFileSync(
        about,
        JSON.stringify({ ...(JSON.parse(readFileSync(about, "utf8")) as object), version }),
      );
      change(root);
    });
    buildBundle({ slot, profile: name, version, ...signer }, join(folder, "newest.raucb"));
  };
  await timed("bundle", () => bundle("0.3.0", () => {}));
  let machine = await VirtualMachine.start(files, join(folder, "console-1"));
  try {
    const client = new Client();
    await timed("boot", () => client.answered(machine));
    await client.claim(machine);
    const before = await client.update();
    assert.deepEqual([before.phase, before.previous], ["IDLE", null]);
    const start = before.release;
    await client.call("PUT", "/rooms", [{ type: "CMD_ROOM", name: "Cellar" }]);

    await timed("install", async () => {
      await client.call("POST", "/hub/update", { action: "INSTALL" });
      await machine.ended(bootSeconds);
    });
    machine = await VirtualMachine.start(files, join(folder, "console-2"));
    await timed("boot into the update", () => client.answered(machine));
    assert.match(machine.said, /slot B is booted/);
    const trial = await client.update();
    assert.equal(trial.release, "0.3.0");
    const kept = await timed("trial", () => client.settled(machine));
    assert.deepEqual(
      [kept.outcome?.result, kept.outcome?.version, kept.previous?.version],
      ["INSTALLED", "0.3.0", start],
    );
    assert.deepEqual(await client.rooms(), ["Cellar"]);

    // Signed as it should be, then changed in the middle.
    await timed("changed bundle", async () => {
      bundle("0.4.0", (root) => writeFileSync(join(root, "opt/ledge/lib/hub.mjs"), "process.exit(70);\n"));
      const path = join(folder, "newest.raucb");
      const whole = readFileSync(path);
      const at = Math.floor(whole.length / 2);
      const changed = Buffer.from(whole);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      writeFileSync(path, changed);
      await client.call("POST", "/hub/update", { action: "INSTALL" });
      const refused = await client.settled(machine);
      assert.match(refused.outcome?.message ?? "", /changed after it was signed/);
      writeFileSync(path, whole);
    });

    await timed("install of a release that does not serve", async () => {
      await client.call("POST", "/hub/update", { action: "INSTALL" });
      await machine.ended(bootSeconds);
    });
    machine = await VirtualMachine.start(files, join(folder, "console-3"));
    await timed("boot of it", () =>
      machine.until("the hub ends again and again", bootSeconds, async () =>
        /slot A is booted/.test(machine.said) &&
        /ledge\.service|login:|Ledge automation hub/.test(machine.said)
          ? true
          : undefined,
      ),
    );
    await machine.cutPower();
    machine = await VirtualMachine.start(files, join(folder, "console-4"));
    await timed("boot back", () => client.answered(machine));
    assert.match(machine.said, /slot B is booted/);
    const back = await client.update();
    assert.deepEqual(
      [back.release, back.outcome?.result, back.outcome?.version],
      ["0.3.0", "ROLLED_BACK", "0.4.0"],
    );
    assert.deepEqual(await client.rooms(), ["Cellar"]);
    return seconds;
  } finally {
    await machine.cutPower();
    feed.close();
  }
}

/** A hub in a virtual machine, as its owner calls it. */
class Client {
  #key = "";
  #port = 0;

  async answered(machine: VirtualMachine): Promise<void> {
    this.#port = machine.apiPort;
    await machine.until("the hub answers", bootSeconds, async () => {
      const response = await fetch(`http://127.0.0.1:${machine.apiPort}/hub`, {
        signal: AbortSignal.timeout(20_000),
      });
      return response.ok ? true : undefined;
    });
  }

  async claim({ said }: VirtualMachine): Promise<void> {
    const [, code = ""] = /setup code +([A-Z]{7})\b/.exec(said) ?? [];
    const claim = { code, nickname: "Ann", name: "Laptop" };
    ({ key: this.#key } = await this.call<{ key: string }>("POST", "/hub/setup", claim));
  }

  update(): Promise<Update> {
    return this.call<Update>("GET", "/hub/update");
  }

  /** Waits until an update has ended. */
  settled(machine: VirtualMachine): Promise<Update> {
    return machine.until("the update ends", bootSeconds, async () => {
      const update = await this.update();
      return update.phase === "IDLE" ? update : undefined;
    });
  }

  async rooms(): Promise<string[]> {
    const rooms = await this.call<Record<string, { name: string }>>("GET", "/rooms");
    return Object.values(rooms).map(({ name }) => name);
  }

  async call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`http://127.0.0.1:${this.#port}/cc/1.14${path}`, {
      method,
      signal: AbortSignal.timeout(60_000),
      headers: { authorization: this.#key },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.equal(response.status, 200, `${method} ${path}: ${text}`);
    return JSON.parse(text) as T;
  }
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
