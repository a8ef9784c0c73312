import { limits } from "@ledge/model";
import { refusedByAdapter } from "../adapter-answers.ts";
import { whenBound } from "../bound.ts";
import type { HubPorts } from "../ports.ts";
import { Refused } from "../refused.ts";
import type { PairModbus } from "./steps.ts";

/** What GET_MODBUS_DEVICES says of a device. */
interface Place {
  readonly native: string;
  readonly port: string;
  readonly address: number;
  readonly registers: readonly { readonly registerType: number; readonly register: number }[];
}

/** Modbus devices by where they are. */
export class ModbusPlaces {
  readonly #hub: HubPorts;

  constructor(hub: HubPorts) {
    this.#hub = hub;
  }

  /** The device at the place that a command names; undefined when none is there. 422 without an adapter. */
  async find(command: PairModbus): Promise<string | undefined | Refused> {
    const [protocol] = await this.#hub.offering("GET_MODBUS_DEVICES");
    const none = new Refused(422, "no adapter of this hub pairs Modbus devices");
    if (protocol === undefined) return none;
    const outcome = await this.#hub.ask({ type: "GET_MODBUS_DEVICES" }, { among: "requests", protocol });
    if (outcome === undefined) return none;
    if (!outcome.answered) return refusedByAdapter(outcome);
    const place = (outcome.value as readonly Place[]).find((each) => isThere(command, each));
    return place && (await this.#bound(protocol, place.native));
  }

  /** Pairs the device; its id once the hub has it. */
  async pair(command: PairModbus): Promise<string | Refused> {
    const request = { type: command.type, commands: [command] };
    const outcome = await this.#hub.ask(request, { among: "protocolCommands" });
    if (outcome === undefined) return new Refused(422, "no adapter of this hub pairs Modbus devices");
    if (!outcome.answered) return refusedByAdapter(outcome);
    return (await this.find(command)) ?? new Refused(504, "the device was paired and is gone again");
  }

  async #bound(protocol: string, native: string): Promise<string | Refused> {
    const found = await whenBound(this.#hub, protocol, native, limits.autoConfigPairMs);
    return found ?? new Refused(504, `the device ${native} was removed once, or does not come`);
  }
}

function isThere({ address, register, registerType, port }: PairModbus, place: Place): boolean {
  if (address !== place.address || (port ?? place.port) !== place.port) return false;
  return place.registers.some((each) => each.register === register && each.registerType === registerType);
}
