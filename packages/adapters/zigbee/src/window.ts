import { limits } from "@ledge/model";
import { isCrowded } from "./fault.ts";
import type { StickKind } from "./settings.ts";

/**
 * How many commands each kind of stick bears at once. Z-Stack 3 has 12 buffers for frames (NWK_MAX_DATABUFS_TOTAL), each
 * in use until its frame is sent; four more commands wait for the answers of their devices meanwhile. EmberZNet has
 * 10 messages on their way by default (EZSP_CONFIG_APS_UNICAST_MESSAGE_COUNT) and the library raises that to 32.
 * Sticks of other kinds start at the usual number.
 */
const windows: Partial<Readonly<Record<StickKind, number>>> = { zstack: 16, ember: 16 };

/**
 * How many commands are sent to a stick at once. The window grows as TCP's does (RFC 5681): by one for each command
 * that succeeds, and after the stick had no room by one for each whole window of them.
 */
export interface Window {
  readonly size: number;
  /** Whether the stick never lacked room. */
  readonly isProbing: boolean;
  /** The commands that have succeeded since the last change. */
  readonly succeeded: number;
  /** How often it was halved or begun anew. */
  readonly halvings: number;
}

export function firstWindow(stick: StickKind | undefined): Window {
  const size = (stick && windows[stick]) ?? limits.zigbeeWindowUsual;
  return { size, isProbing: true, succeeded: 0, halvings: 0 };
}

/**
 * Returns the window after a command that succeeded.
 * @param underWay the commands at the stick with it: only a full window shows that the stick bears more
 */
export function grown(window: Window, underWay: number): Window {
  const { size, isProbing } = window;
  if (underWay < size || size >= limits.zigbeeWindowMost) return window;
  const succeeded = window.succeeded + 1;
  const isDue = isProbing || succeeded >= size;
  return isDue ? { ...window, size: size + 1, succeeded: 0 } : { ...window, succeeded };
}

/**
 * Returns the window after a command for which the stick had no room.
 * @param halvings those at the time of its start: commands that started together halve the window once
 */
export function halved(window: Window, halvings: number): Window {
  if (halvings !== window.halvings) return window;
  const size = Math.max(limits.zigbeeWindowLeast, Math.floor(window.size / 2));
  return { size, isProbing: false, succeeded: 0, halvings: halvings + 1 };
}

/** The window of the current stick. */
export class StickWindow {
  readonly #stick: StickKind | undefined;
  #window: Window;
  #underWay = 0;

  constructor(stick: StickKind | undefined) {
    this.#stick = stick;
    this.#window = firstWindow(stick);
  }

  get size(): number {
    return this.#window.size;
  }

  /** Another stick may bear more or less. */
  reset(): void {
    // The halvings count on: a command at the former stick says nothing about this one.
    this.#window = { ...firstWindow(this.#stick), halvings: this.#window.halvings + 1 };
  }

  /** Runs the sending of one command, and learns from its outcome. */
  async learnFrom<T>(send: () => Promise<T>): Promise<T> {
    const { halvings } = this.#window;
    this.#underWay += 1;
    try {
      const result = await send();
      this.#window = grown(this.#window, this.#underWay);
      return result;
    } catch (error) {
      if (isCrowded(error)) this.#window = halved(this.#window, halvings);
      throw error;
    } finally {
      this.#underWay -= 1;
    }
  }
}

/** Pauses before a frame is given again to a stick that has no room for it, ms: each of its frames takes some 4. */
export const roomPausesMs: readonly number[] = [20, 40, 80, 160, 320];
