import type { StickKind } from "./settings.ts";

/**
 * How many commands each kind of stick bears at once. Z-Stack 3 has 12 buffers for frames (NWK_MAX_DATABUFS_TOTAL), each
 * in use until its frame is sent; four more commands wait for the answers of their devices meanwhile. EmberZNet has
 * 10 messages on their way by default (EZSP_CONFIG_APS_UNICAST_MESSAGE_COUNT) and the library raises that to 32.
 */
const windows: Partial<Readonly<Record<StickKind, number>>> = { zstack: 16, ember: 16 };
/** For a stick whose limits are not known. */
const narrow = 4;

export function windowOf(stick: StickKind | undefined): number {
  return (stick && windows[stick]) ?? narrow;
}

/** Pauses before a frame is given again to a stick that has no room for it, ms: each of its frames takes some 4. */
export const roomPausesMs: readonly number[] = [20, 40, 80, 160, 320];
