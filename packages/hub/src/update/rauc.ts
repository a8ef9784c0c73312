import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { limits } from "@ledge/model";
import { tied } from "@ledge/port";
import Type from "typebox";
import { Check } from "typebox/value";
import { refuseWithoutRoom } from "./room.ts";
import type { Release, Slot, SlotFacts } from "./update.ts";
import { UpdateError } from "./update-error.ts";
import { isVersion } from "./version-order.ts";

/** The file of a bundle that says what release it has. */
export const releaseFile = "ledge.json";

/** What checks bundles, writes slots and keeps the boot loader's state. */
export interface UpdateBackend {
  /**
   * Reads the whole bundle, and returns what it is.
   * @throws UpdateError when it is not signed by the right key, was changed or is none, or the disk is full
   */
  check(bundle: string): Promise<Release>;
  /**
   * Writes the bundle into the slot that does not run, and has that one booted next.
   * @param onProgress called with percents
   * @throws UpdateError
   */
  install(bundle: string, onProgress: (percent: number) => void): Promise<void>;
  /** @throws UpdateError when the boot loader's state cannot be read */
  slots(): Promise<SlotFacts>;
  /** Marks the running slot good. @throws UpdateError */
  confirm(): Promise<void>;
  /** Has the slot that does not run booted next. @throws UpdateError */
  goBack(): Promise<void>;
}

export interface RaucOptions {
  /** Where bundles are unpacked for their check; on the disk of the bundle. */
  readonly work: string;
  /** RAUC's configuration. Default: its own, `/etc/rauc/system.conf`. */
  readonly config?: string;
  /** More environment for RAUC. */
  readonly env?: Readonly<Record<string, string>>;
}

const ReleaseFile = Type.Object({
  version: Type.String({ maxLength: limits.nameChars }),
  profile: Type.String({ maxLength: limits.nameChars }),
  formats: Type.Array(Type.String({ maxLength: limits.nameChars }), { maxItems: limits.updateFormats }),
});

const Status = Type.Object({
  booted: Type.String(),
  boot_primary: Type.Union([Type.String(), Type.Null()]),
  slots: Type.Array(
    // A slot that goes with another one, such as the kernel's, has no name for the boot loader.
    Type.Record(
      Type.String(),
      Type.Object({
        bootname: Type.Union([Type.String(), Type.Null()]),
        boot_status: Type.Union([Type.String(), Type.Null()]),
      }),
    ),
  ),
});

/**
 * The program `rauc` (https://rauc.readthedocs.io). It verifies and unpacks bundles in its own process; writing
 * slots it leaves to its service, which runs as root and is called over D-Bus.
 */
export class Rauc implements UpdateBackend {
  readonly #options: RaucOptions;

  constructor(options: RaucOptions) {
    this.#options = options;
  }

  async check(bundle: string): Promise<Release> {
    const { work } = this.#options;
    rmSync(work, { recursive: true, force: true });
    // The payload is compressed already: unpacked it is about as large.
    await refuseWithoutRoom(dirname(work), statSync(bundle).size * 1.1, "check the bundle");
    try {
      // `rauc info` reads the signature alone, and passes a bundle whose payload was changed.
      await this.#rauc(["extract", bundle, work]);
      return readRelease(join(work, releaseFile));
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  }

  async install(bundle: string, onProgress: (percent: number) => void): Promise<void> {
    await this.#rauc(["install", bundle], (line) => {
      const [, percent] = /^\s*(\d{1,3})% /.exec(line) ?? [];
      if (percent !== undefined) onProgress(Math.min(100, Number(percent)));
    });
  }

  async slots(): Promise<SlotFacts> {
    const said = await this.#rauc(["status", "--output-format=json"]);
    const status = parse(said);
    if (!Check(Status, status)) throw new UpdateError("RAUC does not say which slots there are");
    const slots = new Map(status.slots.flatMap((slot) => Object.entries(slot)));
    const isGood = (name: Slot): boolean =>
      [...slots.values()].some(({ bootname, boot_status }) => bootname === name && boot_status === "good");
    return {
      booted: slotNamed(status.booted),
      primary: slotNamed(slots.get(status.boot_primary ?? "")?.bootname),
      isGood: { A: isGood("A"), B: isGood("B") },
    };
  }

  async confirm(): Promise<void> {
    await this.#rauc(["status", "mark-good", "booted"]);
  }

  async goBack(): Promise<void> {
    await this.#rauc(["status", "mark-active", "other"]);
  }

  /** @returns what it printed @throws UpdateError with its reason */
  async #rauc(args: readonly string[], onLine: (line: string) => void = () => {}): Promise<string> {
    const { config, env } = this.#options;
    const flags = config === undefined ? [] : [`--conf=${config}`];
    const child = spawn(...tied("rauc", [...flags, ...args]), {
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env["PATH"], LC_ALL: "C.UTF-8", ...env },
    });
    let [out, error] = ["", ""];
    let rest = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out = (out + text).slice(-limits.updateStatusChars);
      const lines = (rest + text).split(/[\r\n]/);
      rest = (lines.pop() ?? "").slice(-limits.programOutputChars);
      for (const line of lines) onLine(line);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      error = (error + text).slice(-limits.programOutputChars);
    });
    const [code] = (await once(child, "close").catch((cause: unknown) => {
      throw new UpdateError(absent, { cause });
    })) as [number | null];
    if (code === 0) return out;
    if (code === 127) throw new UpdateError(absent);
    throw new UpdateError(reasonIn(`${error}\n${out}`) ?? `rauc ${args[0]} ended with ${code}`);
  }
}

const absent = "RAUC is not installed: this machine has no updates";

/** RAUC's words -> ours. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [
    /payload is corrupted|dm-verity|Failed to check (?:root )?hash/i,
    "the bundle was changed after it was signed",
  ],
  [
    /signature verification failed|failed to verify|CMS.*error/i,
    "the bundle is not signed by a key that this machine trusts",
  ],
  [/Invalid bundle format|Invalid identifier/i, "the file is no bundle"],
  [/No space left on device/i, "the disk is full"],
  [/compatible/i, "the bundle is for another kind of machine"],
];

function reasonIn(said: string): string | undefined {
  const known = reasons.find(([pattern]) => pattern.test(said))?.[1];
  const lines = said.split("\n").filter((line) => /Failed|LastError|error/i.test(line));
  const last = lines.at(-1)?.trim();
  if (known === undefined) return last;
  return known;
}

function readRelease(file: string): Release {
  let text = "";
  try {
    text = readFileSync(file, "utf8");
  } catch {
    throw new UpdateError("the bundle does not say which release it has");
  }
  const release = parse(text);
  if (!Check(ReleaseFile, release) || !isVersion(release.version))
    throw new UpdateError("the bundle does not say which release it has");
  return { version: release.version, profile: release.profile, formats: release.formats };
}

function slotNamed(name: string | null | undefined): Slot {
  if (name === "A" || name === "B") return name;
  throw new UpdateError("RAUC does not say which slot runs or is next");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
