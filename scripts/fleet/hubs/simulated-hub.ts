import { Agent, request } from "node:http";
import { Dialler } from "@ledge/hub/cloud/dialler";
import { systemClock } from "@ledge/kernel";
import { generateIssuerKey, hubIdOfKey, type IssuerKey, signHubAssertion } from "@ledge/link";
import { features } from "@ledge/model";
import type { SimulatedHome } from "./simulated-home.ts";

/** Connections for sessions come from another address than tunnels, because one has 28,000 ports. */
const localAddress = "127.0.0.2";

export interface SimulatedHubOptions {
  readonly url: string;
  /** Which hub it is; the address that it has on the internet follows from it. */
  readonly index: number;
  readonly home: SimulatedHome;
  /** Called when the tunnel has opened or ended. */
  readonly changed: (isConnected: boolean) => void;
  /** Called with what was in the way of a tunnel. */
  readonly failed: (problem: string) => void;
}

/** How a hub asks for a session: on a connection of its own. */
interface Asking {
  readonly agent: Agent;
  readonly signal: AbortSignal;
}

/** A hub that speaks with the cloud as hubs do, sessions and tunnel included, with the pauses between tries of a hub. */
export class SimulatedHub {
  readonly id: string;
  readonly #key: IssuerKey;
  readonly #options: SimulatedHubOptions;
  readonly #dialler: Dialler;
  #token: string | undefined;
  #isClaimed = false;

  private constructor(key: IssuerKey, options: SimulatedHubOptions) {
    const { url, home, changed, failed } = options;
    this.id = hubIdOfKey(key.publicJwk.x ?? "");
    this.#key = key;
    this.#options = options;
    this.#dialler = new Dialler({
      url,
      token: (refused, signal) => this.#session(refused, signal),
      fetch: () => Response.json({ message: "this hub has no API" }, { status: 404 }),
      changes: home,
      announced: () => {},
      changed: (isConnected) => {
        // As a hub does, which may have another address now.
        if (!isConnected) this.#token = undefined;
        changed(isConnected);
      },
      clock: systemClock,
      random: Math.random,
      logger: { info: () => {}, warn: (fields) => failed((fields as { problem?: string }).problem ?? "") },
    });
  }

  static async make(options: SimulatedHubOptions): Promise<SimulatedHub> {
    return new SimulatedHub(await generateIssuerKey(), options);
  }

  get isConnected(): boolean {
    return this.#dialler.connected;
  }

  start(): void {
    this.#dialler.start();
  }

  stop(): Promise<void> {
    return this.#dialler.stop(0);
  }

  /** Opens a session with a fresh proof. The first one makes somebody the owner of the hub. */
  async #session(refused: string | undefined, signal: AbortSignal): Promise<string> {
    if (this.#token !== undefined && this.#token !== refused) return this.#token;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      this.#token = await this.#opened({ agent, signal });
      return this.#token;
    } finally {
      agent.destroy();
    }
  }

  async #opened(asking: Asking): Promise<string> {
    const { id: hubId } = this;
    const { url } = this.#options;
    const { nonce } = (await this.#post("/hub/challenge", { hubId }, asking)) as { nonce: string };
    const { kty, crv, x } = this.#key.publicJwk;
    const body = {
      hubId,
      publicJwk: { kty, crv, x },
      name: "Cabin",
      version: "1.14.15.1",
      features: [features.REMOTE_USAGE],
      generation: 0,
      instance: hubId,
      proof: await signHubAssertion({ hub_id: hubId, nonce }, new URL(url).origin, this.#key),
    };
    const { token } = (await this.#post("/hub/session", body, asking)) as { token: string };
    if (!this.#isClaimed) {
      const email = `owner-${this.#options.index}@example.org`;
      await this.#post("/hub/claim", { email }, asking, token);
      this.#isClaimed = true;
    }
    return token;
  }

  async #post(path: string, json: object, { agent, signal }: Asking, token?: string): Promise<unknown> {
    const { url, index } = this.#options;
    const body = JSON.stringify(json);
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "x-forwarded-for": addressOf(index),
      ...(token !== undefined && { authorization: token }),
    };
    const { promise, resolve, reject } = Promise.withResolvers<[status: number | undefined, text: string]>();
    const asked = request(
      `${url}${path}`,
      { method: "POST", headers, agent, localAddress, signal },
      (answer) => {
        answer
          .toArray()
          .then((chunks: Buffer[]) => resolve([answer.statusCode, Buffer.concat(chunks).toString()]), reject);
      },
    );
    asked.once("error", reject);
    asked.end(body);
    const [status, text] = await promise;
    if (status !== 200) throw new Error(`${path}: ${status}`);
    return JSON.parse(text);
  }
}

/** How often one address may ask is limited, so that each hub has its own. */
const addressOf = (index: number): string => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
