import { wire } from "../bytes.ts";
import type { Commands } from "./commands.ts";
import { memoryCommands } from "./commands-memory.ts";

/** The content of SYS_VERSION: transport revision 2, Z-Stack 3.x.0, release 2.7.1. */
export const version = { head: [2, 1, 2, 7, 1], revision: 20_240_710 } as const;

/** SYS: the stick itself and its memory. */
export const sysCommands: Commands = {
  /** ping: the available subsystems. */
  0x01: () => wire().u16(0x0659),
  /** version */
  0x02: () =>
    wire()
      .u8(...version.head)
      .u32(version.revision),
  /** resetReq: answered by an indication. */
  0x00: (stick) => {
    stick.reset();
    return null;
  },
  /** getExtAddr */
  0x04: ({ memory }) => wire().ieee(memory.ieee),
  /** stackTune: operation 0 sets the transmit power in dBm. */
  0x0f: ({ radio }, request) => {
    const operation = request.u8();
    const value = request.i8();
    if (operation === 0) radio.txPower = Math.min(20, Math.max(-20, value));
    return wire().u8(radio.txPower);
  },
  ...memoryCommands,
};
