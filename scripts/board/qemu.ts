import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { tied } from "@ledge/port";
import { freePort } from "@ledge/testkit";
import type { ImageFiles } from "./image.ts";
import { standingStill } from "./stand-still.ts";

/** Seconds to wait for an emulated machine: it is twenty times as slow as a board, and slower where others work too. */
export const patience = 3600;

interface Options {
  /** File for a record of all that it writes to its disk; there is none by default. */
  readonly writes?: string;
  /** A shell of root on a serial line. */
  readonly shell?: boolean;
  /** A reset boots the machine again; by default it ends it. */
  readonly resets?: boolean;
  /** The machine's clock jumps over what it waits for. Only a machine that nobody talks to meanwhile can bear that. */
  readonly skipsIdle?: boolean;
}

/** A disk that first records what is written to it. */
function recorded(file: string): string {
  writeFileSync(file, "");
  return `driver=blklogwrites,node-name=disk,log.driver=file,log.filename=${file}`;
}

const shellArgument = " systemd.debug_shell=ttyS0";

/** Has systemd offer a shell of root on the second serial line, or not, by the file of the kernel's arguments. */
function allowShell(disk: string, isAllowed: boolean): void {
  const start = `${disk}@@1M`;
  const given = execFileSync("mtype", ["-i", start, "::machine.txt"], { encoding: "utf8" });
  const plain = given.trimEnd().replace(shellArgument, "");
  const input = `${plain}${isAllowed ? shellArgument : ""}\n`;
  if (input !== given) execFileSync("mcopy", ["-o", "-i", start, "-", "::machine.txt"], { input });
}

/** A second serial line that ends at a port. */
function withShell(port: number): readonly string[] {
  const line = `socket,id=shell,host=127.0.0.1,port=${port},server=on,wait=off`;
  return ["-chardev", line, "-device", "pci-serial,chardev=shell"];
}

/** A virtual ARM machine that runs a disk image, with an emulated USB serial adapter. */
export class VirtualMachine {
  readonly #qemu: ChildProcess;
  readonly #console: string;
  readonly #disk: string;
  /** What the machine's clock said when it was turned on (ms since the epoch). */
  readonly began: number;
  /** Port of this machine that leads to the hub's API. */
  readonly apiPort: number;
  /** Port of this machine where the other end of the USB serial adapter waits. */
  readonly radioPort: number;
  /** Port of this machine that leads to a shell of root, if there is one. */
  readonly shellPort: number;

  private constructor(
    qemu: ChildProcess,
    console: string,
    disk: string,
    began: number,
    ports: { readonly api: number; readonly radio: number; readonly shell: number },
  ) {
    this.#qemu = qemu;
    this.#console = console;
    this.#disk = disk;
    this.began = began;
    this.apiPort = ports.api;
    this.radioPort = ports.radio;
    this.shellPort = ports.shell;
  }

  /**
   * Turns the machine on.
   * @param files its disk, and the boot loader that it has in place of firmware
   * @param console file for what it writes on its serial console
   */
  static async start(files: ImageFiles, console: string, options: Options = {}): Promise<VirtualMachine> {
    allowShell(files.disk, options.shell === true);
    for (let tries = 1; ; tries++) {
      const machine = await VirtualMachine.#turnOn(files, console, options);
      // Another program may be quicker to take a port that was free.
      if (tries === 3 || !(await machine.#hasNoPort())) return machine;
    }
  }

  static async #turnOn(files: ImageFiles, console: string, options: Options): Promise<VirtualMachine> {
    const disk = options.writes === undefined ? "" : recorded(options.writes);
    const [api, radio, shell] = [await freePort(), await freePort(), await freePort()];
    const hasShell = options.shell === true;
    // The machine's clock begins at a whole second of this one.
    const began = Math.floor(Date.now() / 1000) * 1000;
    const base = new Date(began).toISOString().slice(0, 19);
    const flags = [
      ["-M", "virt,gic-version=3", "-cpu", "cortex-a72", "-m", "1024"],
      // Its time goes by what it has done, 4 ns for an instruction, so that it is not late where this machine is busy.
      ["-accel", "tcg", "-icount", `shift=2,sleep=${options.skipsIdle ? "off" : "on"}`],
      ["-rtc", `clock=vm,base=${base}`],
      ["-nographic", ...(hasShell ? withShell(shell) : []), ...(options.resets ? [] : ["-no-reboot"])],
      ["-bios", files.uBoot],
      ["-blockdev", `driver=file,filename=${files.disk},node-name=file`],
      ["-blockdev", `${disk || "driver=raw,node-name=disk"},file=file`],
      ["-device", "virtio-blk-pci,drive=disk", "-device", "i6300esb"],
      ["-netdev", `user,id=net,hostfwd=tcp:127.0.0.1:${api}-:8893`],
      ["-device", "virtio-net-pci,netdev=net,romfile=", "-device", "qemu-xhci"],
      ["-chardev", `socket,id=radio,host=127.0.0.1,port=${radio},server=on,wait=off`],
      ["-device", "usb-serial,chardev=radio"],
    ].flat();
    const output = openSync(console, "w");
    const qemu = spawn(...tied("qemu-system-aarch64", flags), { stdio: ["ignore", output, output] });
    closeSync(output);
    await once(qemu, "spawn");
    return new VirtualMachine(qemu, console, files.disk, began, { api, radio, shell });
  }

  /** Whether QEMU ends before the machine says anything, because it cannot have a port. */
  async #hasNoPort(): Promise<boolean> {
    while (this.said === "" && !this.#isOver) await sleep(50);
    if (!/Could not set up host forwarding|Address already in use/.test(this.said)) return false;
    if (!this.#isOver) await once(this.#qemu, "exit");
    return true;
  }

  /** Whether QEMU has ended by itself, or was killed, as where memory runs out. */
  get #isOver(): boolean {
    return this.#qemu.exitCode !== null || this.#qemu.signalCode !== null;
  }

  /** What the machine has written on its console so far. */
  get said(): string {
    return readFileSync(this.#console, "utf8");
  }

  /**
   * Asks until the answer is there.
   * @throws Error with the end of the console, when the machine ends or the time is over
   */
  async until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
    const end = performance.now() + patience * 1000;
    while (performance.now() < end && !this.#isOver) {
      const found = await ask().catch(() => undefined);
      if (found !== undefined) return found;
      await sleep(500);
    }
    const why = this.#isOver ? "the machine has ended" : `not in ${patience} s`;
    throw new Error(`${what}: ${why}. The console:\n${this.said.slice(-3000)}`);
  }

  /**
   * Waits until the machine has turned itself off or asks for a reboot.
   * @param problem asked meanwhile, while the hub answers: why it will not come to that
   * @throws Error with that, with the end of the console when the time is over, or when QEMU was killed
   */
  async ended(problem: () => Promise<string | undefined> = () => Promise.resolve(undefined)): Promise<void> {
    const end = performance.now() + patience * 1000;
    while (!this.#isOver) {
      const found = await problem().catch(() => undefined);
      if (found !== undefined) throw new Error(found);
      if (performance.now() > end)
        throw new Error(`no reboot in ${patience} s. The console:\n${this.said.slice(-3000)}`);
      await sleep(500);
    }
    const { signalCode } = this.#qemu;
    if (signalCode !== null) throw new Error(`QEMU was ended by ${signalCode}, not by its machine`);
  }

  /**
   * Copies the disk as it would be if the power went now. The machine goes on afterwards: it does not notice.
   * @param to file for the copy
   */
  async copyDisk(to: string): Promise<void> {
    const copy = (): Promise<unknown> => promisify(execFile)("cp", ["--sparse=always", this.#disk, to]);
    const { pid } = this.#qemu;
    if (pid === undefined || this.#isOver) throw new Error("the machine has ended: its disk is not copied");
    await standingStill(pid, copy);
  }

  /** Takes the power away: what is not on the disk is lost. */
  async cutPower(): Promise<void> {
    if (this.#isOver) return;
    const ended = once(this.#qemu, "close");
    this.#qemu.kill("SIGKILL");
    await ended;
  }
}
