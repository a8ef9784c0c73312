import { setImmediate } from "node:timers/promises";
import type { Logger } from "@ledge/host/logger";
import {
  type Batch,
  type Bus,
  type DeviceRow,
  keyOf,
  linksOf,
  type Links,
  type ListRequest,
  parseList,
  readOn,
  type RegisterStore,
} from "@ledge/fleet";
import type { Clock, Kernel } from "@ledge/kernel";
import { limits, type Origin, reject, type Rejection, roles } from "@ledge/model";
import { Failed, invalidFields } from "../graph/errors.ts";
import { onHubLeft } from "../hubs/leaving.ts";
import { ownerOf } from "../model/owning.ts";
import { registerDeviceId, type RegisterDeviceState } from "../model/register-device.ts";
import type { CloudStates } from "../model/states.ts";
import { type AnyCommand, refusalOf } from "../model/submitting.ts";
import { Retries } from "../process/retries.ts";
import type { Gateways } from "../tenancy/gateways.ts";
import { OwnDevices } from "./own-devices.ts";
import { publishRow } from "./row-news.ts";

export interface RegistersOptions {
  readonly kernel: Kernel<CloudStates>;
  readonly store: RegisterStore;
  readonly bus: Pick<Bus, "publish">;
  readonly gateways: Pick<Gateways, "registersOf">;
  /** Signs the cursors of lists. */
  readonly cursorKey: Uint8Array;
  readonly clock: Pick<Clock, "after">;
  readonly logger: Logger;
}

/** A page of the devices of a register. */
export interface DevicePage {
  readonly rows: readonly DeviceRow[];
  readonly links: Links;
}

/** Reads registers for their users, and changes what people say of the devices there. */
export class Registers {
  readonly own: OwnDevices;
  readonly #options: RegistersOptions;
  /** How many devices are being added by hand, by register. */
  readonly #adding = new Map<string, number>();
  readonly #retries: Retries;
  readonly #end: () => void;

  constructor(options: RegistersOptions) {
    this.#options = options;
    const { kernel } = options;
    this.#retries = new Retries(options.clock);
    this.own = new OwnDevices(options);
    const ofNobody = [...kernel.all("registerDevice")].filter(([, { register }]) => !this.#isThere(register));
    for (const register of new Set(ofNobody.map(([, { register: id }]) => id))) this.#forgetIn(register);
    this.#end = onHubLeft(kernel, (hubId) => this.#forgetIn(hubId));
  }

  stop(): void {
    this.#end();
    this.#retries.stop();
    this.own.stop();
  }

  /**
   * Adds a device by hand. Resolves when a query sees it.
   * @returns why not
   * @throws KernelError
   */
  async add(
    command: AnyCommand & { readonly register: string; readonly device: string },
    by: Origin,
  ): Promise<Rejection | undefined> {
    const { kernel, store } = this.#options;
    const { register, device: id } = command;
    const adding = this.#adding.get(register) ?? 0;
    if (this.own.countIn(register) + adding >= limits.registerDevices)
      return reject("limit", `at most ${limits.registerDevices} devices in a register`);
    this.#adding.set(register, adding + 1);
    try {
      if ((await store.get({ register, kind: "device", id })) !== undefined)
        return reject("taken", `the register has a device ${id} already`, "device.id");
      const refused = await refusalOf(kernel, by, command);
      if (refused === undefined) await this.own.written(register);
      return refused;
    } finally {
      const left = (this.#adding.get(register) ?? 1) - 1;
      if (left > 0) this.#adding.set(register, left);
      else this.#adding.delete(register);
    }
  }

  /** Returns a device of a register; undefined when there is none, or the role does not see it. */
  async device(register: string, id: string, role: number): Promise<DeviceRow | undefined> {
    const row = await this.#options.store.get({ register, kind: "device", id });
    return row?.kind === "device" && isVisible(row, role) ? row : undefined;
  }

  /** Returns a page of the devices that a role sees, or what is wrong with the request. */
  async devices(register: string, request: ListRequest, role: number): Promise<DevicePage | Failed> {
    const { store, cursorKey } = this.#options;
    const parsed = parseList(register, request, cursorKey);
    if ("errors" in parsed) return invalidFields(parsed.errors);
    const { query } = parsed;
    let page = await store.page(register, query);
    let rows = page.rows.filter((row) => isVisible(row, role));
    // Hidden devices leave room on the page for further ones.
    while (rows.length < query.pageSize && page.hasMore) {
      page = await store.page(register, readOn(query, page));
      const visible = page.rows.filter((row) => isVisible(row, role));
      rows = query.backward ? [...visible, ...rows] : [...rows, ...visible];
      await setImmediate();
    }
    const hasMore = page.hasMore || rows.length > query.pageSize;
    const shown = query.backward ? rows.slice(-query.pageSize) : rows.slice(0, query.pageSize);
    return { rows: shown, links: linksOf(register, query, { rows: shown, hasMore }, cursorKey) };
  }

  /**
   * Changes a row of a hub's device in the store. Resolves when a query sees it. A batch of the hub that
   * arrives meanwhile goes first.
   */
  async rewrite(register: string, id: string, change: (row: DeviceRow) => DeviceRow): Promise<void> {
    const isDone = await this.#amend(register, id, (row) => ({ upserts: [change(row)], removals: [] }));
    if (!isDone) throw new Error(`the register ${register} changes too quickly`);
  }

  /** Removes a device of a hub from all registers ahead of its hub's own news, with what people have said of it. */
  async remove(hubId: string, id: string): Promise<void> {
    const { kernel, gateways } = this.#options;
    for (const register of [hubId, ...gateways.registersOf(hubId)]) {
      const said = kernel.get("registerDevice", registerDeviceId(register, id));
      if (said !== undefined && said.about === undefined) await refusalOf(kernel, "system", forgetting(said));
      await this.#amend(register, id, (row) => ({
        upserts: [],
        removals: row.source === hubId ? [keyOf(row)] : [],
      }));
    }
  }

  /**
   * Changes what the store has of a hub's device between two batches of the hub.
   * @returns false when one batch after the other came first
   */
  async #amend(
    register: string,
    id: string,
    changing: (row: DeviceRow) => Pick<Batch, "upserts" | "removals">,
  ): Promise<boolean> {
    const { store, bus } = this.#options;
    for (let tries = 0; tries < limits.registerRewrites; tries++) {
      const row = await store.get({ register, kind: "device", id });
      if (row?.kind !== "device") return true;
      const { source } = row;
      const known = await store.cursorOf(source);
      if (known === undefined) return true;
      const { cursor, generation } = known;
      const batch = { source, generation, after: cursor, upto: cursor, outbox: [] };
      const applied = await store.apply({ ...batch, ...changing(row) });
      if (applied.outcome === "refused" && applied.reason === "cursor") continue;
      if (applied.outcome === "applied") publishRow(bus, row);
      return true;
    }
    return false;
  }

  #isThere(register: string): boolean {
    const { kernel } = this.#options;
    const isOwned = ownerOf(kernel.get("authorizations", register)) !== undefined;
    return isOwned || kernel.get("deviceRegister", register) !== undefined;
  }

  /**
   * Forgets what people have said of the devices of a hub that has left. Tried again, it keeps what those have said
   * whose hub it is by then.
   */
  #forgetIn(register: string, all = this.own.saidIn(register)): void {
    const { kernel, logger } = this.#options;
    const said = all.filter((each) => kernel.get("registerDevice", each.id) === each);
    if (said.length === 0) return this.#retries.succeeded(register);
    const failed = (error: unknown): void => {
      logger.warn({ error, register }, "could not forget what was said of devices: it is tried again");
      this.#retries.failed(register, () => this.#forgetIn(register, said));
    };
    refusalOf(kernel, "system", ...said.map(forgetting)).then(
      (refused) => (refused ? failed(refused) : this.#retries.succeeded(register)),
      failed,
    );
  }
}

/** Returns the command that forgets what people have said of a device. */
export function forgetting({ register, device }: RegisterDeviceState): AnyCommand {
  return { type: "FORGET_REGISTER_DEVICE", register, device };
}

/** Hidden devices are not shown to remote guests (hub-api 5.3), and not to readers of a tenant's register. */
function isVisible({ object }: DeviceRow, role: number): boolean {
  return role !== roles.REMOTE_GUEST || object?.["visible"] !== false;
}
