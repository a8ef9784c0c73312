import type { AirLine } from "../../air.ts";
import { GreenPowerProxy } from "../clusters/green-power-proxy.ts";
import { OnOff } from "../clusters/on-off.ts";
import { ZclDevice } from "../device.ts";
import { Endpoint } from "../endpoint.ts";
import type { Identity } from "../identity.ts";
import { commonClusters, deviceIds, mains } from "../identity.ts";
import { write } from "../zcl/bytes.ts";

const greenPowerProfile = 0xa1e0;
const proxyDevice = 0x0061;

/** A lamp that is a Green Power proxy, too. */
export class ProxyLamp extends ZclDevice {
  readonly proxy: GreenPowerProxy;
  #nwk = 0;

  constructor(identity: Identity) {
    const proxy = new GreenPowerProxy();
    const lamp = new Endpoint(1, deviceIds.dimmableLight, [...commonClusters(identity), new OnOff()]);
    const power = new Endpoint(242, proxyDevice, [proxy], { profile: greenPowerProfile });
    super(mains(identity, lamp, power));
    this.proxy = proxy;
  }

  /** Its network address, which its frames name. */
  get nwk(): number {
    return this.#nwk;
  }

  override joined(line: AirLine): void {
    this.#nwk = line.nwk;
    super.joined(line);
  }
}

/** The device id of an on/off switch (14-0563-19, A.4.3). */
const onOffSwitch = 0x02;
/** Extended options: full authentication, a key of its own, which is present and encrypted, and a counter. */
const secured = 0xf2;
const authenticated = 2;
const ownKey = 4;
/** Options by which a proxy adds its address and how well it heard the switch. */
const proxyInfo = { notification: 0x4000, commissioning: 0x0800 } as const;
const heardWell = 0xff;

/** A switch that lives from the energy of its presses. It joins no network: proxies in reach pass its frames on. */
export class GreenPowerSwitch {
  readonly sourceId: number;
  readonly #key: Uint8Array;
  #counter = 0;

  /** @param key 16 bytes. */
  constructor(sourceId: number, key: Uint8Array) {
    this.sourceId = sourceId;
    this.#key = key;
  }

  /** Asks to be commissioned, as by a long press. */
  commission({ proxy, nwk }: ProxyLamp): void {
    const gpd = write()
      .uint8(onOffSwitch)
      .uint8(0x81)
      .uint8(secured)
      .bytes(this.#key)
      .uint32(0)
      .uint32(this.#counter);
    proxy.commission(this.#frame(proxyInfo.commissioning, 0xe0, gpd.done(), nwk));
  }

  /** Sends a command, such as 0x10 to 0x17 for the keys of a switch. */
  press({ proxy, nwk }: ProxyLamp, command: number): void {
    const options = (authenticated << 6) | (ownKey << 8) | proxyInfo.notification;
    proxy.notify(this.sourceId, this.#frame(options, command, new Uint8Array(), nwk));
  }

  #frame(options: number, command: number, payload: Uint8Array, nwk: number): Uint8Array {
    this.#counter += 1;
    const head = write().uint16(options).uint32(this.sourceId).uint32(this.#counter);
    return head.uint8(command).uint8(payload.length).bytes(payload).uint16(nwk).uint8(heardWell).done();
  }
}
