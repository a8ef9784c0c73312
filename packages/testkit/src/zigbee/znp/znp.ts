import { status as sent } from "../frame-status.ts";

// Constants of TI's Z-Stack network processor (Monitor and Test API).

export const subsystem = { rpc: 0, sys: 1, af: 4, zdo: 5, util: 7, appConfig: 15 } as const;

/** The status of a request or of a sent frame. */
export const status = {
  ...sent,
  failure: 0x01,
  invalidParameter: 0x02,
  itemInitialized: 0x09,
  itemFailed: 0x0a,
  badLength: 0x0c,
  memoryFull: 0x10,
  bufferFull: 0x11,
  noResources: 0x1a,
  tableFull: 0xb2,
} as const;

/** Z-Stack's answers to a request that it does not know or cannot read. */
export const rpcError = { subsystem: 1, id: 2, length: 4 } as const;

export const deviceState = { hold: 0, starting: 8, coordinator: 9 } as const;

/** The kind of an address in a request. */
export const addressMode = { group: 1, short: 2, ieee: 3, broadcast: 15 } as const;

/** Destination of a request that goes out as an inter-PAN frame (Z-Stack's STUBAPS_INTER_PAN_EP). */
export const interPan = { panId: 0xffff, endpoint: 0xfe } as const;
