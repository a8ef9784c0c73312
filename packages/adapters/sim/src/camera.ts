import { createHash } from "node:crypto";
import type { AdapterHost, AdapterRequest, DeviceDescription, NativeId } from "@ledge/port";
import { AdapterError } from "@ledge/port";

/** The stored state of the camera. It stores only a digest of its password. */
interface Kept {
  readonly username: string;
  readonly digest: string;
  readonly ssid: string | null;
  readonly credentialStatus: "OK" | "INSUFFICIENT" | "DEFAULT" | "ERROR";
}

export const yardCamera = "outdoors/camera";
const key = "camera";
const address = "192.0.2.20";
const factory: Kept = {
  username: "admin",
  digest: digestOf("admin"),
  ssid: null,
  credentialStatus: "DEFAULT",
};
/** The networks in its range, and their passwords. */
const networks = [
  { ssid: "Home", signal: -48, password: "simulated" },
  { ssid: "Guests", signal: -60, password: null },
] as const;

/** The only camera of the home. */
export class HomeCamera {
  readonly #host: AdapterHost;
  readonly #changed: (native: NativeId) => void;

  constructor(host: AdapterHost, changed: (native: NativeId) => void) {
    this.#host = host;
    this.#changed = changed;
  }

  readonly host = {
    identifier: yardCamera,
    ip: address,
    name: "Yard camera",
    manufacturer: "Ledge",
    model: "Lens 1",
    alreadyPaired: true,
  } as const;

  /** Adds the fields of a camera to the description of the camera; returns other devices unchanged. */
  described(device: DeviceDescription): DeviceDescription {
    if (device.native !== yardCamera) return device;
    const { username, ssid, credentialStatus } = this.#kept;
    const about = {
      cameraId: yardCamera,
      credentialStatus,
      medias,
      ssid,
      username,
      wifiConnected: ssid !== null,
    };
    return { ...device, extras: { ...device.extras, ...about } };
  }

  at(ip: string, username: unknown, password: unknown): object {
    if (ip !== address) return { code: 10, host: null };
    return this.#isRight(username, password) ? { code: 1, host: this.host } : { code: 11, host: null };
  }

  /** Checks the credentials that the hub will log in with, and returns the result. */
  async use({ username, password }: AdapterRequest): Promise<object> {
    const isRight = this.#isRight(username, password);
    const isDefault = isRight && this.#kept.digest === factory.digest;
    return await this.#result(isDefault ? "DEFAULT" : isRight ? "OK" : "ERROR");
  }

  /** Changes the camera's credentials. */
  async change({ username, password }: AdapterRequest): Promise<object> {
    if (String(password).length < 4) throw new AdapterError("refused", "password: must have 4 characters");
    await this.#keep({ username: String(username), digest: digestOf(String(password)) });
    return await this.#result("OK");
  }

  wifis(): readonly object[] {
    const { ssid: joined } = this.#kept;
    return networks.map(({ ssid, signal, password }) => ({
      type: "WIFI",
      ssid,
      signal,
      isOpen: password === null,
      connected: ssid === joined,
    }));
  }

  async join({ ssid, password = null }: AdapterRequest): Promise<true> {
    const network = networks.find((each) => each.ssid === ssid);
    if (network === undefined)
      throw new AdapterError("refused", "ssid: the camera does not see this network");
    if (network.password !== null && network.password !== password)
      throw new AdapterError("refused", "password: the network refused this password");
    await this.#keep({ ssid: network.ssid });
    return true;
  }

  get #kept(): Kept {
    return { ...factory, ...(this.#host.store.get(key) as Partial<Kept> | undefined) };
  }

  #isRight(username: unknown, password: unknown): boolean {
    const kept = this.#kept;
    return username === kept.username && digestOf(String(password)) === kept.digest;
  }

  async #result(credentialStatus: Kept["credentialStatus"]): Promise<object> {
    await this.#keep({ credentialStatus });
    return { type: "CREDENTIALS_RESULT", credentialStatus };
  }

  async #keep(news: Partial<Kept>): Promise<void> {
    await this.#host.store.put(key, { ...this.#kept, ...news });
    this.#changed(yardCamera);
  }
}

const medias = [
  {
    type: "MEDIA_PROFILE",
    token: "main",
    name: "Main",
    width: 1920,
    height: 1080,
    bitrate: "4096",
    framerate: "25",
  },
  {
    type: "MEDIA_PROFILE",
    token: "sub",
    name: "Small",
    width: 640,
    height: 360,
    bitrate: "512",
    framerate: "10",
  },
];

function digestOf(password: string): string {
  return createHash("sha256").update(password).digest("base64url");
}
