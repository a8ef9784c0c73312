import type { AdapterHost, NativeId } from "@ledge/port";
import { type Coded, codedFrom, descriptionOf, heardBy, nativeOf } from "./device.ts";
import { type Kind, kinds, likelyKind } from "./kinds.ts";
import type { Place } from "./place.ts";
import type { Signal } from "./signal.ts";

/** A device that was found, and where. */
export interface Find {
  readonly place: Place;
  readonly device: Coded;
}

/** The neighbours' sensors are many; whoever searches sees so many of them. */
const findsAtMost = 200;

/** What a listening shows in a search until something is heard. */
const listeningNative = "433/listening";

/** What a search hears, and what somebody listens for. */
export class Finds {
  readonly #host: AdapterHost;
  readonly #found = new Map<NativeId, Find>();
  /** What this window has shown; what was discarded comes again with the next. */
  readonly #told = new Map<NativeId, Coded>();
  #isOpen = false;
  #closeLater: () => void = () => {};
  /** The kind of which the next code is. */
  #awaited: { readonly kind: Kind; readonly heard: (find: Find) => void } | undefined;
  #awaitLater: () => void = () => {};

  constructor(host: AdapterHost) {
    this.#host = host;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(windowMs: number): void {
    if (!this.#isOpen) this.#told.clear();
    this.#isOpen = true;
    this.#closeLater();
    this.#closeLater = this.#host.clock.after(windowMs, () => this.close());
  }

  close(): void {
    this.#isOpen = false;
    this.#closeLater();
    this.#endAwaiting();
  }

  /**
   * Takes the next code that is heard for one of a kind, for a while.
   * @param heard called with it when no search shows it
   */
  await(kind: Kind, ms: number, heard: (find: Find) => void): void {
    this.#endAwaiting();
    this.#awaited = { kind, heard };
    this.#awaitLater = this.#host.clock.after(ms, () => this.#endAwaiting());
    if (!this.#isOpen) return;
    const asked = { actionRequired: true, help: "pairing.press-button" } as const;
    this.#host.found({ native: listeningNative, description: null, status: "CONNECTING", ...asked });
  }

  /**
   * Takes a signal. The key of a remote that commands a socket may become a device of its own, if somebody listens for it.
   * @param isKnown whether it is of a device of the hub
   * @param isTaken whether a native id is a device of the hub
   */
  hear(place: Place, signal: Signal, isKnown: boolean, isTaken: (native: NativeId) => boolean): void {
    const awaited = this.#awaited;
    const canSend = place.send !== undefined;
    if (awaited !== undefined && isOf(awaited.kind, signal) && (canSend || !kinds[awaited.kind].isAssumed)) {
      const heard = heardBy(codedFrom(signal, awaited.kind), signal)?.device;
      if (heard === undefined || isTaken(nativeOf(place.name, heard))) return;
      this.#endAwaiting();
      if (this.#isOpen) this.offer(place, heard);
      else awaited.heard({ place, device: heard });
      return;
    }
    if (!this.#isOpen || isKnown) return;
    const kind = likelyKind(signal, canSend);
    if (kind === undefined) return;
    const fresh = codedFrom(signal, kind);
    const native = nativeOf(place.name, fresh);
    if (isTaken(native)) return;
    const before = this.#told.get(native);
    const device = heardBy(before ?? fresh, signal)?.device ?? fresh;
    if (device !== before) this.offer(place, device);
  }

  /** Shows a device in the search, also one that grows after somebody has discarded it. */
  offer(place: Place, device: Coded): void {
    const native = nativeOf(place.name, device);
    if (!this.#told.has(native) && this.#told.size >= findsAtMost) return;
    this.#told.set(native, device);
    this.#found.set(native, { place, device });
    const description = descriptionOf(place.name, device);
    this.#host.found({ native, description, status: "COMPLETE", actionRequired: false, help: null });
  }

  /** Returns a found device, which is found no more. */
  take(native: NativeId): Find | undefined {
    const find = this.#found.get(native);
    this.#found.delete(native);
    return find;
  }

  stop(): void {
    this.#isOpen = false;
    this.#closeLater();
    this.#awaitLater();
    this.#awaited = undefined;
  }

  #endAwaiting(): void {
    if (this.#awaited === undefined) return;
    this.#awaitLater();
    this.#awaited = undefined;
    this.#host.lost(listeningNative);
  }
}

/** Whether a signal can be of a kind. What measures all the time is not what somebody has pressed just now. */
function isOf(kind: Kind, { order, word, values }: Signal): boolean {
  if (kind === "remote") return order !== undefined || word !== undefined;
  if (order !== undefined && kinds[kind].shows(order) !== undefined) return true;
  const told = { contact: "open", motion: "motion", smoke: "alert", leak: "moisture" };
  return Object.hasOwn(told, kind) && values[told[kind as keyof typeof told]] !== undefined;
}
