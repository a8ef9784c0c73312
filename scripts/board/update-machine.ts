import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answered, Client } from "./client.ts";
import type { ImageFiles } from "./image.ts";
import { VirtualMachine } from "./qemu.ts";
import type { Signer } from "./update-release.ts";

/** What the trials of updates share: disks lie in `folder` by their names. */
export interface UpdateTrial {
  /** The image as it was built; the trials leave it as it is. */
  readonly files: ImageFiles;
  /** Name of its profile. */
  readonly profile: string;
  /** It trusts the certificate. */
  readonly signer: Signer;
  /** Its feed is at this port. */
  readonly port: number;
  /** For all that is made. */
  readonly folder: string;
}

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

/** What one trial leaves to the next: what the client identifies itself by, and the release of the image. */
export interface Memory {
  readonly key: string;
  readonly release: string;
}

/** A machine that runs, and a client of its hub. */
export interface Running {
  readonly machine: VirtualMachine;
  readonly client: Client;
}

/** The only room of the hub. */
export const room = "Cellar";

/** The machines that a trial starts on one disk, one after the other. */
export class Machines {
  readonly memory: Memory;
  readonly #trial: UpdateTrial;
  readonly #name: string;
  readonly #disk: string;
  #count = 0;
  #last: VirtualMachine | undefined;

  /**
   * @param name of the trial, for its disk and consoles
   * @param from file of the disk that it begins with
   */
  constructor(trial: UpdateTrial, name: string, from: string) {
    this.#trial = trial;
    this.#name = name;
    this.#disk = join(trial.folder, `${name}.img`);
    this.memory = recalled(trial);
    execFileSync("cp", ["--sparse=always", from, this.#disk]);
  }

  /** Takes the power away from the last one, if it is on, and turns the next one on. */
  async start(options: Parameters<typeof VirtualMachine.start>[2] = {}): Promise<VirtualMachine> {
    await this.cutPower();
    const console = join(this.#trial.folder, `${this.#name}-${(this.#count += 1)}.console`);
    this.#last = await VirtualMachine.start({ ...this.#trial.files, disk: this.#disk }, console, options);
    return this.#last;
  }

  /** Turns the next one on, and waits for its hub. */
  async boot(slot: "A" | "B", options: Parameters<Machines["start"]>[0] = {}): Promise<Running> {
    const machine = await this.start(options);
    await answered(machine);
    assert.match(machine.said, new RegExp(`slot ${slot} is booted`));
    return { machine, client: new Client(machine.apiPort, this.memory.key) };
  }

  async cutPower(): Promise<void> {
    await this.#last?.cutPower();
  }
}

const memoryOf = ({ folder }: UpdateTrial): string => join(folder, "memory.json");

/** Keeps what the next trials have to know. */
export function remember(trial: UpdateTrial, memory: Memory): void {
  writeFileSync(memoryOf(trial), JSON.stringify(memory));
}

function recalled(trial: UpdateTrial): Memory {
  try {
    return JSON.parse(readFileSync(memoryOf(trial), "utf8")) as Memory;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    // The first boot claims the hub.
    return { key: "", release: "" };
  }
}

export function updateOf(client: Client): Promise<Update> {
  return client.call<Update>("GET", "/hub/update");
}

/** Waits until an update has ended. */
export function settled({ machine, client }: Running): Promise<Update> {
  return machine.until("the update ends", async () => {
    const update = await updateOf(client);
    return update.phase === "IDLE" ? update : undefined;
  });
}

/** Waits until an update is in none of these phases any more. */
export function leaves({ machine, client }: Running, ...phases: readonly string[]): Promise<Update> {
  return machine.until(`the end of ${phases.join(" and ")}`, async () => {
    const update = await updateOf(client);
    return phases.includes(update.phase) ? undefined : update;
  });
}

/** Waits for a phase of an update that was asked for. */
export async function reaches(running: Running, phase: string, before: readonly string[]): Promise<void> {
  const reached = await leaves(running, ...before);
  assert.equal(reached.phase, phase, JSON.stringify(reached));
}

/** Waits for the reboot that ends an installation. */
export async function rebooted({ machine, client }: Running): Promise<void> {
  await machine.ended(async () => {
    const { phase, outcome } = await updateOf(client);
    return phase === "IDLE" ? `it was not installed: ${outcome?.message}` : undefined;
  });
}

export async function ask(client: Client): Promise<void> {
  await client.call("POST", "/hub/update", { action: "INSTALL" });
}

/** Asks for an update that must not be installed. */
export async function refuses(running: Running, message: RegExp): Promise<void> {
  await ask(running.client);
  const { outcome } = await settled(running);
  assert.equal(outcome?.result, "FAILED");
  assert.match(outcome?.message ?? "", message);
}

/** The image's own release runs, knows what has become of an update, and has lost nothing. */
export async function hasOutcome(
  client: Client,
  { release }: Memory,
  outcome: { readonly result: string; readonly version: string | null; readonly message: RegExp },
): Promise<void> {
  const update = await updateOf(client);
  assert.deepEqual(
    [update.release, update.phase, update.outcome?.result, update.outcome?.version],
    [release, "IDLE", outcome.result, outcome.version],
  );
  assert.match(update.outcome?.message ?? "", outcome.message);
  assert.deepEqual(await client.rooms(), [room]);
}
