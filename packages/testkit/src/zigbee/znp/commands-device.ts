import { wire } from "../bytes.ts";
import type { Commands } from "./commands.ts";
import { status } from "./znp.ts";

/** Relation of a device to the stick in its table of children: a child that sleeps, or none. */
const relation = { sleepyChild: 1, none: 0xff } as const;
const noAddress = 0xfffe;

/** UTIL: the device, its light, and the table of its children. */
export const utilCommands: Commands = {
  /** getDeviceInfo: status, addresses, capabilities (coordinator, router, end device), state, children. */
  0x00: ({ radio }) => {
    const children = radio.subject().neighbours();
    const head = wire().u8(status.success).ieee(radio.ieee).u16(0).u8(7, radio.state, children.length);
    return head.u16(...children.map(({ nwk }) => nwk));
  },
  /** ledControl */
  0x0a: () => wire().u8(status.success),
  /** assocGetWithAddress */
  0x4a: ({ radio }, request) => {
    const ieee = request.ieee();
    const child = radio
      .subject()
      .neighbours()
      .find((other) => other.ieee === ieee);
    if (!child || child.isRxOnWhenIdle) return wire().u16(noAddress, 0).u8(relation.none);
    return wire().u16(child.nwk, 0).u8(relation.sleepyChild);
  },
  /** assocRemove */
  0x63: () => wire().u8(status.success),
  /** assocAdd */
  0x64: () => wire().u8(status.success),
};

/** APP_CNF: base device behaviour. */
export const appConfigCommands: Commands = {
  /** bdbAddInstallCode: 1 is a code with its CRC, 2 a key. */
  0x04: ({ radio }, request) => {
    const format = request.u8();
    const ieee = request.ieee();
    if (format === 1) radio.installCodes.set(ieee, Buffer.from(request.rest()).toString("hex"));
    return wire().u8(status.success);
  },
  /** bdbStartCommissioning: 4 is formation. */
  0x05: ({ radio }, request) => {
    if (request.u8() === 4) radio.form();
    return wire().u8(status.success);
  },
  /** bdbSetChannel */
  0x08: ({ radio }, request) => {
    if (request.u8() === 1) radio.primaryChannels = request.u32();
    return wire().u8(status.success);
  },
};
