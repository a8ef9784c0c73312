import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { makeSelfSigned } from "@ledge/host/self-signed";
import { temporaryFolder } from "@ledge/testkit";
import { Rauc, releaseFile } from "./rauc.ts";
import type { Release, Slot } from "./update.ts";

const program = fileURLToPath(new URL("../../../../systemd/ledge-slots", import.meta.url));
export const mebibyte = 1_048_576;
/** A kernel without device mapper cannot mount a verity bundle; checks need no mount. */
export const installable = existsSync("/dev/mapper/control") ? "verity" : "plain";

/** A machine with a real RAUC, files in place of partitions, and a bus of its own. */
export class RaucMachine {
  readonly #folder = temporaryFolder();
  readonly #bus: ChildProcess;
  readonly #env: Readonly<Record<string, string>>;
  #service: ChildProcess | undefined;
  readonly images = {
    old: randomBytes(3 * mebibyte),
    fresh: randomBytes(3 * mebibyte),
    kernel: randomBytes(mebibyte),
  };
  readonly rauc: Rauc;

  private constructor(bus: ChildProcess, address: string) {
    this.#bus = bus;
    this.#env = {
      DBUS_STARTER_BUS_TYPE: "session",
      DBUS_SESSION_BUS_ADDRESS: address,
      LEDGE_SLOTS: this.path("slots"),
      LEDGE_CMDLINE: this.path("cmdline"),
    };
    for (const name of ["ours", "theirs"]) {
      const { key, certificate } = makeSelfSigned(name);
      writeFileSync(this.path(`${name}.key`), key);
      writeFileSync(this.path(`${name}.pem`), certificate);
    }
    writeFileSync(this.path("system.conf"), this.#systemConfig());
    this.rauc = this.raucIn(this.path("work"));
  }

  static async make(): Promise<RaucMachine> {
    const bus = spawn("dbus-daemon", ["--session", "--nofork", "--nopidfile", "--print-address=1"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [address] = (await once(bus.stdout, "data")) as [Buffer];
    return new RaucMachine(bus, address.toString().trim());
  }

  path(name: string): string {
    return join(this.#folder.path, name);
  }

  /** @param work where bundles are unpacked */
  raucIn(work: string): Rauc {
    return new Rauc({ work, config: this.path("system.conf"), env: this.#env });
  }

  async remove(): Promise<void> {
    await this.powerOff();
    this.#bus.kill();
    await once(this.#bus, "close");
    this.#folder.remove();
  }

  /** Makes a bundle. @returns its file */
  bundle(name: string, format: string, signer: "ours" | "theirs", release: Release | undefined): string {
    const content = this.path("content");
    rmSync(content, { recursive: true, force: true });
    rmSync(this.path(name), { force: true });
    mkdirSync(content);
    writeFileSync(join(content, "root.squashfs"), this.images.fresh);
    writeFileSync(join(content, "boot.vfat"), this.images.kernel);
    if (release !== undefined) writeFileSync(join(content, releaseFile), JSON.stringify(release));
    writeFileSync(
      join(content, "manifest.raucm"),
      `[update]\ncompatible=ledge-qemu-virt\nversion=0.3.0\n[bundle]\nformat=${format}\n[image.rootfs]\nfilename=root.squashfs\n[image.boot]\nfilename=boot.vfat\n`,
    );
    const keys = [`--cert=${this.path(`${signer}.pem`)}`, `--key=${this.path(`${signer}.key`)}`];
    execFileSync("rauc", ["bundle", ...keys, content, this.path(name)], { stdio: "ignore" });
    return this.path(name);
  }

  /** Makes it as it leaves the factory: the old release in slot A. */
  renew(): void {
    for (const name of ["A", "B", "bootA", "bootB", "slots"]) {
      writeFileSync(this.path(name), name === "A" ? this.images.old : "");
      truncateSync(this.path(name), name.length === 1 ? 4 * mebibyte : mebibyte);
    }
    rmSync(this.path("status"), { force: true });
  }

  /** Boots as far as the boot loader. @returns the slot */
  choose(): Slot {
    const env = { ...process.env, ...this.#env };
    const slot = execFileSync("sh", [program, "boot"], { env, encoding: "utf8" }).trim();
    if (slot !== "A" && slot !== "B") throw new Error(`ledge-slots boots ${slot}`);
    writeFileSync(this.path("cmdline"), `rauc.slot=${slot}\n`);
    return slot;
  }

  /** Boots as far as RAUC's service. @returns the slot that runs */
  async boot(): Promise<Slot> {
    const slot = this.choose();
    mkdirSync(this.path("mnt"), { recursive: true });
    const flags = [`--conf=${this.path("system.conf")}`, "service", `--override-boot-slot=${slot}`];
    this.#service = spawn("rauc", flags, { stdio: "ignore", env: { ...process.env, ...this.#env } });
    for (let tries = 0; ; tries++) {
      try {
        await this.rauc.slots();
        return slot;
      } catch (error) {
        if (tries > 100) throw error;
        await sleep(20);
      }
    }
  }

  /** Ends all at once, as a power cut does. */
  async powerOff(): Promise<void> {
    const service = this.#service;
    if (service?.exitCode === null && service.signalCode === null) {
      const ended = once(service, "close");
      service.kill("SIGKILL");
      await ended;
    }
    spawnSync("umount", [join(this.path("mnt"), "bundle")], { stdio: "ignore" });
  }

  /** Whether the slot's root file system is that image, and of the fresh one its kernel too. */
  holds(slot: Slot, image: Buffer): boolean {
    const begins = (name: string, content: Buffer): boolean =>
      readFileSync(this.path(name)).subarray(0, content.length).equals(content);
    return begins(slot, image) && (image !== this.images.fresh || begins(`boot${slot}`, this.images.kernel));
  }

  /** The configuration of the image, with files in place of partitions. */
  #systemConfig(): string {
    return `[system]
compatible=ledge-qemu-virt
bootloader=custom
mountprefix=${this.path("mnt")}
statusfile=${this.path("status")}
[handlers]
bootloader-custom-backend=${program}
[keyring]
path=${this.path("ours.pem")}
[slot.rootfs.0]
device=${this.path("A")}
type=raw
bootname=A
[slot.rootfs.1]
device=${this.path("B")}
type=raw
bootname=B
[slot.boot.0]
device=${this.path("bootA")}
type=raw
parent=rootfs.0
[slot.boot.1]
device=${this.path("bootB")}
type=raw
parent=rootfs.1
`;
  }
}
