import type { Logger } from "@ledge/host/logger";
import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import type { Cloud } from "../cloud.ts";
import type { DeviceRegister } from "../model/device-register.ts";
import { ownerOf } from "../model/owning.ts";
import { registerDeviceId, type RegisterDeviceState } from "../model/register-device.ts";
import { type AnyCommand, refusalOf } from "../model/submitting.ts";
import { Retries } from "../process/retries.ts";
import type { Replication } from "../replication/replication.ts";
import { forgetting, type Registers } from "./registers.ts";

export interface LeavingOptions {
  readonly cloud: Pick<Cloud, "kernel" | "registers" | "tenancy" | "onAuthorizations">;
  readonly registers: Pick<Registers, "own">;
  readonly replication: Pick<Replication, "leave">;
  readonly clock: Pick<Clock, "after">;
  readonly logger: Pick<Logger, "error">;
}

/** Events after which something leaves a register. */
const leavingEvents: ReadonlySet<string> = new Set(["GatewayRemoved", "DeviceRegisterDeleted"]);

/**
 * Deletes what has left a register of a tenant: the rows of a hub that is a gateway no more, and all devices of a
 * register that is deleted. A hub leaves when another account owns it. What fails is tried again, and what a crash
 * interrupts goes on with the next start.
 */
export class Leaving {
  readonly #options: LeavingOptions;
  /** What is under way, by register. */
  readonly #doing = new Map<string, Promise<void>>();
  readonly #retries: Retries;
  readonly #ends: readonly (() => void)[];
  #isStopped = false;

  constructor(options: LeavingOptions) {
    this.#options = options;
    this.#retries = new Retries(options.clock);
    const { kernel } = options.cloud;
    this.#ends = [
      kernel.subscribe({
        published: ({ events }) => {
          for (const { type, id } of events) if (leavingEvents.has(type)) this.#begin(id);
        },
      }),
      options.cloud.onAuthorizations((hubId) => this.#checkOwner(hubId)),
    ];
    const hubs = new Set<string>();
    for (const [id, { isDeleted, leaving, gateways }] of kernel.all("deviceRegister")) {
      if (isDeleted || leaving.length > 0) this.#begin(id);
      for (const hubId of Object.keys(gateways)) hubs.add(hubId);
    }
    for (const hubId of hubs) this.#checkOwner(hubId);
  }

  stop(): void {
    this.#isStopped = true;
    this.#retries.stop();
    for (const end of this.#ends) end();
  }

  /** Resolves when nothing of what has left a register until now is there any more, or when that has failed. */
  async done(register: string): Promise<void> {
    await this.#doing.get(register);
  }

  #checkOwner(hubId: string): void {
    const { kernel, tenancy } = this.#options.cloud;
    const owner = ownerOf(kernel.get("authorizations", hubId));
    for (const id of tenancy.gateways.registersOf(hubId)) {
      if (kernel.get("deviceRegister", id)?.gateways[hubId]?.by === owner) continue;
      const key = `${id} ${hubId}`;
      this.#submit({ type: "REMOVE_GATEWAY", id, hubId }).then(
        () => this.#retries.succeeded(key),
        (error: unknown) => this.#failed(error, id, key, () => this.#checkOwner(hubId)),
      );
    }
  }

  #begin(register: string): void {
    const before = this.#doing.get(register) ?? Promise.resolve();
    const doing = before
      .then(() => this.#empty(register))
      .then(
        () => this.#retries.succeeded(register),
        (error: unknown) => this.#failed(error, register, register, () => this.#begin(register)),
      )
      .finally(() => {
        if (this.#doing.get(register) === doing) this.#doing.delete(register);
      });
    this.#doing.set(register, doing);
  }

  async #empty(id: string): Promise<void> {
    const { cloud, registers, replication } = this.#options;
    const state = (): DeviceRegister | undefined => cloud.kernel.get("deviceRegister", id);
    for (const hubId of state()?.leaving ?? []) {
      await replication.leave(hubId, id);
      await this.#forgetGone(id);
      if (this.#isStopped) return;
      await this.#submit({ type: "NOTE_GATEWAY_GONE", id, hubId });
    }
    if (!state()?.isDeleted) return;
    await this.#forget(registers.own.saidIn(id));
    await registers.own.forget(id);
    if (!this.#isStopped) await this.#submit({ type: "NOTE_REGISTER_EMPTY", id });
  }

  /** Forgets what people have said of devices that their hub has taken along. */
  async #forgetGone(register: string): Promise<void> {
    const { registers, cloud } = this.#options;
    const gone: RegisterDeviceState[] = [];
    for (const said of registers.own.saidIn(register)) {
      if (said.about !== undefined) continue;
      const isThere =
        (await cloud.registers.get({ register, kind: "device", id: said.device })) !== undefined;
      if (!isThere) gone.push(said);
    }
    await this.#forget(gone);
  }

  async #forget(said: readonly RegisterDeviceState[]): Promise<void> {
    const { kernel } = this.#options.cloud;
    for (let at = 0; at < said.length && !this.#isStopped; at += limits.cascadeCommands) {
      const slice = said.slice(at, at + limits.cascadeCommands);
      const left = slice.filter(({ register, device }) =>
        kernel.get("registerDevice", registerDeviceId(register, device)),
      );
      if (left.length > 0) await this.#submit(...left.map(forgetting));
    }
  }

  async #submit(...commands: readonly AnyCommand[]): Promise<void> {
    const refused = await refusalOf(this.#options.cloud.kernel, "system", ...commands);
    // Somebody else was quicker.
    if (refused !== undefined && refused.rejected !== "not-found") throw new Error(refused.message);
  }

  #failed(error: unknown, register: string, key: string, again: () => void): void {
    const { logger } = this.#options;
    if (this.#isStopped) return;
    logger.error({ error, register }, "what has left a register could not be deleted: it is tried again");
    this.#retries.failed(key, again);
  }
}
