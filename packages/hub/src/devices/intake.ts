import type { Kernel, Submission } from "@ledge/kernel";
import { isReadOnly } from "@ledge/kernel";
import type { Cause, Command, DeviceContent, Origin } from "@ledge/model";
import { hasPulse, limits, stateAndPress } from "@ledge/model";
import type { DeviceDescription, FoundDevice, Report } from "@ledge/port";
import type { Logger } from "@ledge/host/logger";
import { HeldReports } from "./held-reports.ts";
import type { Natives } from "./natives.ts";
import type { SeenNotes } from "./seen-notes.ts";

/** The command that a report confirms: its event, origin and cause. */
export interface Confirmed {
  readonly origin: Origin;
  readonly cause: Cause;
  readonly root: Cause;
  readonly depth: number;
}

/**
 * Submits the announcements and reports of one adapter to the kernel. A device's first state after the
 * adapter's start has the origin `resync`: it restores known state. A press is no state, and always counts.
 */
export class Intake {
  readonly #protocol: string;
  readonly #kernel: Kernel;
  readonly #natives: Natives;
  readonly #seen: SeenNotes;
  readonly #logger: Logger;
  readonly #early = new Map<string, Report[]>();
  readonly #heard = new Set<string>();
  /** The devices whose state was restored since the adapter last began to start. */
  readonly #restored = new Set<string>();
  readonly #held = new HeldReports();

  constructor(protocol: string, kernel: Kernel, natives: Natives, seen: SeenNotes, logger: Logger) {
    this.#protocol = protocol;
    this.#kernel = kernel;
    this.#natives = natives;
    this.#seen = seen;
    this.#logger = logger;
  }

  /** Takes note of an adapter's restart: the next report of each device restores known state. */
  restarted(): void {
    this.#heard.clear();
    this.#restored.clear();
  }

  /** Whether a device has reported since the adapter last began to start. */
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
   * Adds a device or updates its description. Ignores one that a user has removed. Resolves when the change is
   * durable or refused.
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

  /** Records settings and firmware of a device. A refusal of these does not remove the device. */
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

  /** Records a device that could be paired. Resolves when that is durable, or when no scan needs it. */
  async found({ native, description, status, actionRequired, help, helpValues }: FoundDevice): Promise<void> {
    const binding = this.#natives.find(this.#protocol, native);
    if (binding?.removed === false) return;
    const how = { pairingStatus: status, actionRequired, help, ...(helpValues && { helpValues }) };
    const about = { protocol: this.#protocol, native, device: binding?.id ?? null };
    await this.#submit(
      native,
      [{ type: "NOTE_FOUND", ...about, description: description && contentOf(description), ...how }],
      {},
      noHold,
    );
  }

  /** Records that a found device is gone. */
  async lost(native: string): Promise<void> {
    await this.#submit(native, [{ type: "NOTE_LOST", protocol: this.#protocol, native }], {}, noHold);
  }

  /** Records new attribute values of a device. Resolves when they are durable, or when nothing has changed. */
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
    // A device that reports itself unreachable was not heard from.
    if (attributes["reachable"] !== false) this.#seen.heard(binding.id, at);
    this.#heard.add(native);
    const record = (origin: Origin, values: Report["attributes"]): Promise<void> =>
      this.#record(binding.id, { native, attributes: values, at }, confirmed ?? { origin });
    if (this.#restored.has(native)) return await record("device", attributes);
    const { state, press } = stateAndPress(attributes);
    if (Object.keys(state).length > 0) this.#restored.add(native);
    await Promise.all([record("resync", state), record("device", press)]);
  }

  /** @param report with `at` (ms) set; one without attributes is no news */
  async #record(id: string, report: Report, chain: Partial<Submission>): Promise<void> {
    const { native, attributes, at } = report;
    if (Object.keys(attributes).length === 0) return;
    const command = { type: "REPORT_DEVICE", id, attributes, at };
    const submission = { ...chain, quiet: !hasPulse(attributes) };
    await this.#submit(native, [command], submission, () => this.#held.hold(report));
  }

  /**
   * Submits what was held while the kernel took nothing. It restores known state and triggers no rules.
   * @returns the number of lost pulses
   */
  async takeUp(): Promise<number> {
    const { announced, reports, dropped } = this.#held.take();
    // Devices come before their reports, which wait for them.
    const added = announced.map((device) => this.announce(device));
    for (const { native } of reports) this.#restored.delete(native);
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
      this.#logger.warn({ native, reason: outcome.rejection.message }, "a report of an adapter was refused");
    } catch (error) {
      // The change of the kernel's state is logged once for all.
      if (isReadOnly(error)) hold();
      else
        this.#logger.error(
          { native, reason: (error as Error).message },
          "a report of an adapter was not stored",
        );
    }
  }
}

/** Returns the part of a command that describes a device. */
function contentOf({
  name,
  radio,
  class: type,
  capabilities,
  manufacturer,
  model,
  extras,
  stateExtras,
}: DeviceDescription): {
  name: string;
  radio: string;
} & DeviceContent {
  const content = { class: type, capabilities, manufacturer, model, extras: extras ?? {} };
  return { name, radio, ...content, ...(stateExtras && { stateExtras }) };
}

/** A find needs no holding, because no scan can run while nothing can be recorded. */
function noHold(): void {}
