import { AdapterError, type AdapterStore, type NativeId } from "@ledge/port";
import type { Login, Place } from "@ledge/soap";
import type { Known } from "./look.ts";

const pairedKey = "paired";
const cameraKey = (native: NativeId): string => `camera/${native}`;
const loginKey = (native: NativeId): string => `login/${native}`;
const knownKey = (native: NativeId): string => `known/${native}`;

/** The most cameras that can be paired beside those of the profile. */
export const pairedMax = 64;

/** A camera that somebody has paired. */
export interface Paired {
  readonly native: NativeId;
  readonly name: string;
  readonly place: Place;
}

/**
 * The stored state: paired cameras, logins, and what cameras are. The hub seals every value of an adapter's store, so
 * a password is nowhere in the clear.
 */
export class Kept {
  readonly #store: AdapterStore;

  constructor(store: AdapterStore) {
    this.#store = store;
  }

  get paired(): readonly Paired[] {
    const natives = this.#store.get(pairedKey);
    if (!Array.isArray(natives)) return [];
    return (natives as NativeId[]).flatMap((native) => {
      const paired = this.#store.get(cameraKey(native)) as Paired | null | undefined;
      return paired ? [paired] : [];
    });
  }

  /** Adds a camera, or changes it. @throws AdapterError `refused` when there are too many */
  async pair(camera: Paired): Promise<void> {
    const natives = this.paired.map(({ native }) => native);
    const isNew = !natives.includes(camera.native);
    if (isNew && natives.length >= pairedMax)
      throw new AdapterError("refused", `more than ${pairedMax} cameras`);
    await this.#put(cameraKey(camera.native), camera);
    if (isNew) await this.#put(pairedKey, [...natives, camera.native]);
  }

  async unpair(native: NativeId): Promise<void> {
    const natives = this.paired.map((each) => each.native);
    if (natives.includes(native)) {
      await this.#put(
        pairedKey,
        natives.filter((each) => each !== native),
      );
      await this.#put(cameraKey(native), null);
    }
    if (this.#store.get(knownKey(native))) await this.#put(knownKey(native), null);
    if (this.#store.get(loginKey(native))) await this.#put(loginKey(native), null);
  }

  /** The login that was set for a camera; it goes before the one of the profile. */
  loginOf(native: NativeId): Login | undefined {
    return (this.#store.get(loginKey(native)) as Login | null | undefined) ?? undefined;
  }

  async setLogin(native: NativeId, login: Login): Promise<void> {
    await this.#put(loginKey(native), login);
  }

  knownOf(native: NativeId): Known | undefined {
    return (this.#store.get(knownKey(native)) as Known | null | undefined) ?? undefined;
  }

  async setKnown(native: NativeId, known: Known): Promise<void> {
    await this.#put(knownKey(native), known);
  }

  async #put(key: string, value: unknown): Promise<void> {
    try {
      await this.#store.put(key, value);
    } catch (cause) {
      throw new AdapterError("refused", `not stored: ${(cause as Error).message}`, { cause });
    }
  }
}
