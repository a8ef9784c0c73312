import type { HubUpdate } from "@ledge/api";
import type { Kernel } from "@ledge/kernel";
import type { LoggedEvent, UpgradeReport, UpgradeRequested } from "@ledge/model";
import { limits } from "@ledge/model";
import type { Notes } from "../notes/notes.ts";
import type { Updates } from "./updates.ts";

/** The binding of the hub's own device. */
const own = { protocol: "ledge", native: "machine" } as const;

export interface OwnDeviceHost {
  readonly kernel: Pick<Kernel, "all" | "get" | "now" | "submit" | "subscribe">;
  readonly notes: Pick<Notes, "note">;
  readonly updates: Pick<Updates, "status" | "begin" | "onChange">;
}

/**
 * The machine as a device of its home: clients see and start its updates as they do those of any other device. Its
 * state says how far an update is, so that the poll tells it.
 */
export class OwnDevice {
  readonly #host: OwnDeviceHost;
  #unsubscribe: () => void = () => {};

  constructor(host: OwnDeviceHost) {
    this.#host = host;
  }

  /** Adds the device to a home that has none yet, and follows the updates. A device that a user removed stays away. */
  async start(): Promise<void> {
    const { kernel, updates } = this.#host;
    const binding = [...kernel.all("binding")]
      .map(([, each]) => each)
      .find(({ protocol, native }) => protocol === own.protocol && native === own.native);
    if (binding?.removed) return;
    const id = binding?.id ?? (await this.#add());
    if (id === undefined) return;
    const stopFollowing = kernel.subscribe({
      published: ({ events }) => {
        for (const event of events)
          if (event.type === "UpgradeRequested" && event.id === id) void this.#begin(event);
      },
    });
    const stopTelling = updates.onChange(() => void this.#tell(id));
    this.#unsubscribe = () => {
      stopFollowing();
      stopTelling();
    };
    await this.#tell(id);
  }

  stop(): void {
    this.#unsubscribe();
  }

  async #add(): Promise<string | undefined> {
    const add = { type: "ADD_DEVICE", name: "Ledge", radio: own.protocol, ...own, ...content };
    const outcome = await this.#host.kernel.submit({ commands: [add], origin: "system" });
    const [result] = outcome.accepted ? outcome.results : [];
    return result !== undefined && "id" in result ? result.id : undefined;
  }

  async #tell(id: string): Promise<void> {
    const { kernel, notes, updates } = this.#host;
    if (kernel.get("device", id) === undefined) return;
    const status = updates.status();
    const shown = { "extras.updatePhase": status.phase, "extras.updatePercent": percentOf(status) };
    const report = { type: "REPORT_DEVICE", id, attributes: { reachable: true, ...shown }, at: kernel.now() };
    const note = { type: "NOTE_UPGRADE", id, upgrade: upgradeOf(status) };
    await notes.note(report, note);
  }

  async #begin(event: LoggedEvent): Promise<void> {
    const { id, request } = event as LoggedEvent<UpgradeRequested>;
    const refused = await this.#host.updates.begin("INSTALL");
    if (refused === undefined) return;
    const refusal = { type: "NOTE_UPGRADE_REFUSED", id, request, code: "refused", message: refused.message };
    await this.#host.notes.note(refusal);
  }
}

const content = {
  class: "VENDOR_HUB",
  capabilities: ["DEVICE", "UPGRADE"],
  manufacturer: "Ledge",
  model: null,
  extras: {},
  stateExtras: [
    { name: "updatePhase", fieldType: "TEXT", unit: null, writable: false },
    { name: "updatePercent", fieldType: "NUMBER", unit: "%", writable: false, minValue: 0, maxValue: 100 },
  ],
} as const;

/** In steps, because each is an event. */
function percentOf({ pctComplete, phase }: HubUpdate): number {
  if (phase === "INSTALLED" || phase === "TRIAL") return 100;
  return Math.floor((pctComplete ?? 0) / limits.updatePercentStep) * limits.updatePercentStep;
}

/** Returns what UPGRADE_INFO says of an update of the machine. */
export function upgradeOf(update: HubUpdate): UpgradeReport {
  const { release, phase, version, available, outcome } = update;
  const isIdle = phase === "IDLE";
  const hasFailed = isIdle && outcome !== null && outcome.result !== "INSTALLED";
  const fresh = isIdle ? available : (version ?? available);
  const idle = hasFailed && available === null ? "FAILED" : available === null ? "UP_TO_DATE" : "AVAILABLE";
  return {
    status: isIdle ? idle : "INSTALLING",
    fwVersion: null,
    swVersion: release,
    newFwVersion: null,
    newSwVersion: fresh,
    lastUpgrade: outcome?.result === "INSTALLED" ? outcome.at : 0,
    autoInstall: false,
    pctComplete: isIdle ? null : percentOf(update),
    etaMs: null,
    message: hasFailed ? outcome.message : null,
  };
}
