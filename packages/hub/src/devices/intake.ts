import type { Kernel, Submission } from "@ledge/kernel";
import { isReadOnly } from "@ledge/kernel";
import type { Cause, Command, DeviceContent, Origin } from "@ledge/model";
import { hasPulse, limits } from "@ledge/model";
import type { DeviceDescription, FoundDevice, Report } from "@ledge/port";
import type { Logger } from "@ledge/host/logger";
import { HeldReports } from "./held-reports.ts";
import type { Natives } from "./natives.ts";
import type { SeenNotes } from "./seen-notes.ts";

/** What a report confirms: the command's event, and on whose behalf it was given. */
export interface Confirmed {
  readonly origin: Origin;
  readonly cause: Cause;
  readonly root: Cause;
  readonly depth: number;
}

/**
 * Takes what one adapter announces and reports to the kernel. A device's first report after the adapter's start
 * has the origin `resync`: it restores what is known.
 */
export class Intake {
  readonly #protocol: string;
  readonly #kernel: Kernel;
  readonly #natives: Natives;
  readonly #seen: SeenNotes;
  readonly #logger: Logger;
  readonly #early = new Map<string, Report[]>();
  readonly #heard = new Set<string>();
  readonly #held = new HeldReports();

  constructor(protocol: string, kernel: Kernel, natives: Natives, seen: SeenNotes, logger: Logger) {
    this.#protocol = protocol;
    this.#kernel = kernel;
    this.#natives = natives;
    this.#seen = seen;
    this.#logger = logger;
  }

  /** The adapter starts anew: what it reports first restores what is known. */
  restarted(): void {
    this.#heard.clear();
  }

  /** Whether a device was heard of since the adapter last began to start. */
  hasHeard(native: string): boolean {
    return this.#heard.has(native);
  }

  /** True once every device of this adapter has reported since its start. */
  get settled(): boolean {
    for (const [, { protocol, native, removed }] of this.#kernel.all("binding")) {
      if (protocol === this.#protocol && !removed && !this.#heard.has(native)) return false;
    }
    return true;
  }

  /**
   * A device exists: adds it, describes it anew, or leaves it out when a user has removed it. Resolves when that
   * is durable, or was refused.
   */
  async announce(device: DeviceDescription): Promise<void> {
    const { native } = device;
    const { name, radio, ...content } = contentOf(device);
    const binding = this.#natives.find(this.#protocol, native);
    if (binding?.removed) return;
    if (binding === undefined) {
      if (this.#early.has(native)) return;
      this.#early.set(native, []);
      const add = { type: "ADD_DEVICE", name, protocol: this.#protocol, native, radio, ...content };
      await this.#submit(native, [add], {}, () => this.#held.announce(device));
      this.#catchUp(native);
      await this.#describeFurther(device);
      return;
    }
    const { id } = binding;
    const bind = { type: "BIND_DEVICE", id, protocol: this.#protocol, native, radio };
    const hold = (): void => this.#held.announce(device);
    await this.#submit(native, [{ type: "DESCRIBE_DEVICE", id, ...content }, bind], {}, hold);
    await this.#describeFurther(device);
  }

  /** What a device has beside its attributes; it is no less a device where that is refused. */
  async #describeFurther(device: DeviceDescription): Promise<void> {
    const { native, configuration, upgrade = null } = device;
    const id = this.#natives.find(this.#protocol, native)?.id;
    if (id === undefined) return;
    const commands: object[] = [];
    if (configuration !== undefined || this.#kernel.get("configuration", id) !== undefined) {
      const { items = null, values = {} } = configuration ?? {};
      commands.push({ type: "DESCRIBE_CONFIGURATION", id, items, values });
    }
    if (upgrade !== null || this.#kernel.get("upgrade", id) !== undefined)
      commands.push({ type: "NOTE_UPGRADE", id, upgrade });
    const hold = (): void => this.#held.announce(device);
    for (const command of commands) await this.#submit(native, [command], {}, hold);
  }

  /** A device may be paired. Resolves when that is durable, or was no news to a scan. */
  async found({ native, description, status, actionRequired, help }: FoundDevice): Promise<void> {
    const binding = this.#natives.find(this.#protocol, native);
    if (binding?.removed === false) return;
    const how = { pairingStatus: status, actionRequired, help };
    const about = { protocol: this.#protocol, native, device: binding?.id ?? null };
    await this.#submit(
      native,
      [{ type: "NOTE_FOUND", ...about, description: description && contentOf(description), ...how }],
      {},
      noHold,
    );
  }

  /** A found device is gone. */
  async lost(native: string): Promise<void> {
    await this.#submit(native, [{ type: "NOTE_LOST", protocol: this.#protocol, native }], {}, noHold);
  }

  /** What a device's attributes are now. Resolves when it is durable, or was no news. */
  async report(report: Report, confirmed?: Confirmed): Promise<void> {
    const { native, attributes } = report;
    const early = this.#early.get(native);
    if (early !== undefined) {
      if (early.length < limits.earlyReports) early.push(report);
      return;
    }
    const now = this.#kernel.now();
    const at = Math.round(Math.min(report.at ?? now, now));
    const binding = this.#natives.find(this.#protocol, native);
    if (binding === undefined && this.#held.isAnnounced(native)) this.#held.hold({ ...report, at });
    if (binding === undefined || binding.removed) return;
    // A device that says of itself that it cannot be reached was not heard of.
    if (attributes["reachable"] !== false) this.#seen.heard(binding.id, at);
    const resync = !this.#heard.has(native);
    this.#heard.add(native);
    const command = { type: "REPORT_DEVICE", id: binding.id, attributes, at };
    const chain = confirmed ?? { origin: resync ? ("resync" as const) : ("device" as const) };
    const quiet = !hasPulse(Object.keys(attributes));
    await this.#submit(native, [command], { ...chain, quiet }, () => this.#held.hold({ ...report, at }));
  }

  /**
   * Takes to the kernel what came while it took nothing: it restores what is known, and sets nothing in motion.
   * @returns how many pulses are lost
   */
  async takeUp(): Promise<number> {
    const { announced, reports, dropped } = this.#held.take();
    // Announced before their reports, which then wait for them.
    const added = announced.map((device) => this.announce(device));
    for (const { native } of reports) this.#heard.delete(native);
    await Promise.all([...added, ...reports.map((report) => this.report(report))]);
    return dropped;
  }

  #catchUp(native: string): void {
    const early = this.#early.get(native) ?? [];
    this.#early.delete(native);
    for (const report of early) void this.report(report);
  }

  async #submit(
    native: string,
    commands: readonly object[],
    submission: Partial<Submission>,
    hold: () => void,
  ): Promise<void> {
    const whole = { origin: "system" as const, ...submission, commands: commands as readonly Command[] };
    try {
      const outcome = await this.#kernel.submit(whole);
      if (outcome.accepted) return;
      this.#logger.warn({ native, reason: outcome.rejection.message }, "what an adapter said was refused");
    } catch (error) {
      // Told once for all, when the kernel stops taking anything.
      if (isReadOnly(error)) hold();
      else
        this.#logger.error(
          { native, reason: (error as Error).message },
          "what an adapter said was not stored",
        );
    }
  }
}

/** What stands in commands about a device. */
function contentOf({
  name,
  radio,
  class: type,
  capabilities,
  manufacturer,
  model,
  extras,
}: DeviceDescription): {
  name: string;
  radio: string;
} & DeviceContent {
  return { name, radio, class: type, capabilities, manufacturer, model, extras: extras ?? {} };
}

/** A scan cannot run while nothing can be recorded. */
function noHold(): void {}
