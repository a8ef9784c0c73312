import type { KeptNetwork } from "./kept-network.ts";

/** A network that a stick has carried. */
export const keptNetwork: KeptNetwork = {
  panId: 0x1a62,
  extendedPanId: "00112233445566aa",
  networkKey: "000102030405060708090a0b0c0d0e0f",
  channel: 20,
  formedAt: 1,
  isChannelChosen: false,
  isConfirmed: false,
};
