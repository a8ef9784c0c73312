import { randomUUID } from "node:crypto";
import type { AdapterHost, NativeId } from "@ledge/port";
import { authorityOf, type Login, type Place } from "@ledge/soap";
import { cameraErrorOf } from "./camera-error.ts";
import { clientAt, type Surroundings } from "./camera.ts";
import { descriptionOf } from "./description.ts";
import { type Announced, discover } from "./discovery.ts";
import { greet, type Known, look } from "./look.ts";
import type { Settings } from "./settings.ts";

/** A camera that a search has found, and that can be paired. */
export interface Find {
  readonly native: NativeId;
  readonly name: string;
  readonly place: Place;
  readonly login: Login | undefined;
  readonly known: Known;
}

/** Which cameras the adapter has. */
export interface Present {
  readonly withIdentity: (identity: NativeId) => boolean;
  /** The native id of the camera at a place. */
  readonly at: (place: Place) => NativeId | undefined;
}

/** Cameras answer within half a second. */
const listenMs = 1500;
const everyMs = 5000;

/** Finds cameras on the local network while a window is open. */
export class Search {
  readonly #settings: Settings;
  readonly #around: Surroundings;
  readonly #present: Present;
  readonly #finds = new Map<NativeId, Find>();
  /** Cameras that want a login before they say what they are. */
  readonly #waiting = new Set<NativeId>();
  #window: AbortController | undefined;
  #cancelClose: () => void = () => {};

  constructor(settings: Settings, around: Surroundings, present: Present) {
    this.#settings = settings;
    this.#around = around;
    this.#present = present;
  }

  get isOpen(): boolean {
    return this.#window !== undefined;
  }

  open(windowMs: number): void {
    this.#cancelClose();
    this.#cancelClose = this.#around.host.clock.after(windowMs, () => this.close());
    if (this.#window !== undefined) return;
    this.#window = new AbortController();
    this.#waiting.clear();
    this.#round(this.#window.signal, new Set());
  }

  close(): void {
    this.#cancelClose();
    this.#window?.abort();
    this.#window = undefined;
  }

  /** Tells of a camera that can be paired. */
  tell(find: Find): void {
    const { host } = this.#around;
    const { native, name, place, login, known } = find;
    const unnamed = unnamedAt(place);
    if (this.#waiting.delete(unnamed)) host.lost(unnamed);
    this.#finds.set(native, find);
    tellFound(host, native, known, name, login);
  }

  /** Returns a find, and forgets it. */
  take(native: NativeId): Find | undefined {
    const find = this.#finds.get(native);
    this.#finds.delete(native);
    return find;
  }

  /** Returns the cameras that make themselves known now, as CAMERA_HOST. */
  async once(signal: AbortSignal): Promise<readonly object[]> {
    const found: object[] = [];
    await this.#listen(signal, ({ place, name, model }) => {
      const native = this.#present.at(place);
      found.push({
        type: "CAMERA_HOST",
        identifier: native ?? authorityOf(place),
        ip: place.address,
        name: name ?? model ?? place.address,
        manufacturer: null,
        model,
        alreadyPaired: native !== undefined,
      });
    });
    return found;
  }

  #round(signal: AbortSignal, seen: Set<string>): void {
    if (signal.aborted) return;
    void this.#listen(signal, (camera) => {
      const key = authorityOf(camera.place);
      if (seen.has(key)) return;
      seen.add(key);
      void this.#consider(camera, signal);
    });
    const cancel = this.#around.host.clock.after(everyMs, () => this.#round(signal, seen));
    signal.addEventListener("abort", cancel, { once: true });
  }

  async #listen(signal: AbortSignal, tell: (camera: Announced) => void): Promise<void> {
    const { discovery, reach } = this.#settings;
    if (discovery === undefined) return;
    const enough = new AbortController();
    const cancel = this.#around.host.clock.after(listenMs, () => enough.abort());
    await discover(discovery, reach, randomUUID(), tell, AbortSignal.any([signal, enough.signal]));
    cancel();
  }

  /** Asks a camera what it is. It tries no login, not even those that makers ship. */
  async #consider({ place, name }: Announced, signal: AbortSignal): Promise<void> {
    const { host } = this.#around;
    if (this.#present.at(place) !== undefined) return;
    const client = clientAt(place, undefined, this.#around);
    try {
      await greet(client, signal);
      const known = await look(client, undefined, signal);
      if (signal.aborted || this.#present.withIdentity(known.identity)) return;
      const { identity: native, manufacturer, model } = known;
      const made = [manufacturer, model].filter((each) => each !== null).join(" ");
      this.tell({ native, name: made || name || "Camera", place, login: undefined, known });
    } catch (error) {
      if (signal.aborted || cameraErrorOf(error).failure !== "credentials") return;
      const native = unnamedAt(place);
      this.#waiting.add(native);
      const help = { help: "pairing.camera-login", helpValues: { address: authorityOf(place) } };
      host.found({ native, description: null, status: "CONNECTING", actionRequired: true, ...help });
    }
  }
}

export function tellFound(
  host: AdapterHost,
  native: NativeId,
  known: Known,
  name: string,
  login: Login | undefined,
): void {
  const shown = { name, username: login?.username ?? null, credentialStatus: "OK" } as const;
  const description = descriptionOf(native, known, shown);
  host.found({ native, description, status: "COMPLETE", actionRequired: false, help: null });
}

function unnamedAt(place: Place): NativeId {
  return `at/${authorityOf(place)}`;
}
