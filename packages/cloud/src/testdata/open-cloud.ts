import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createLogger } from "@ledge/host/logger";
import { generateIssuerKey, type IssuerKey, signHubAssertion } from "@ledge/link";
import { isRejection, limits } from "@ledge/model";
import { SimulatedClock, temporaryFolder } from "@ledge/testkit";
import { type Cloud, type CloudOptions, openCloud } from "../cloud.ts";
import type { HubSession, HubSessionRequest } from "../hubs/hubs.ts";
import type { LoggedIn } from "../accounts/logins.ts";
import type { HubIdentity } from "../model/registration.ts";

/** Address that people log in from. */
export const caller = "192.0.2.1";

/** A cloud in a folder of its own, with a clock that tests move. */
export class TestCloud {
  readonly #temporary = temporaryFolder();
  readonly clock: SimulatedClock;
  readonly issuer = "https://cloud.example";
  #cloud: Cloud | undefined;

  get folder(): string {
    return this.#temporary.path;
  }

  private constructor(wall?: number) {
    this.clock = new SimulatedClock(wall);
  }

  /** @param wall what its clock begins with (ms), where that matters */
  static async open(options: Partial<CloudOptions> = {}, wall?: number): Promise<TestCloud> {
    const test = new TestCloud(wall);
    await test.start(options);
    return test;
  }

  get cloud(): Cloud {
    return this.#cloud ?? assert.fail("the cloud is closed");
  }

  async start(options: Partial<CloudOptions> = {}): Promise<void> {
    const { folder, issuer, clock } = this;
    const logger = createLogger("silent");
    const addresses = { known: [issuer], here: [] };
    const rest = {
      addresses,
      newId: randomUUID,
      random: randomBytes,
      logger,
      onFatal: assert.fail,
      release: "test",
    };
    this.#cloud = await openCloud({ folder, issuer, clock, ...rest, ...options });
  }

  async stop(): Promise<void> {
    const cloud = this.#cloud;
    this.#cloud = undefined;
    await cloud?.close();
  }

  /**
   * Moves the wall clock forward and lets the cloud notice, which is quicker than letting the time elapse.
   */
  async goForward(ms: number): Promise<void> {
    this.clock.stepWall(ms);
    await this.clock.pass(2 * limits.clockCheckMs);
  }

  /** Returns whether the files of the log contain a text as it is. */
  onDisk(text: string): boolean {
    const folder = join(this.folder, "log");
    return readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes(text));
  }

  /** Closes the cloud and removes its folder. */
  async remove(): Promise<void> {
    await this.stop();
    this.#temporary.remove();
  }

  /** Requests a one-time password, reads it and logs in. */
  async logIn(email: string): Promise<LoggedIn> {
    const { password } = accepted(await this.cloud.logins.requestLogin(email, caller));
    return (
      (await this.cloud.logins.logIn(email, password, caller)) ?? assert.fail("the password was refused")
    );
  }
}

/** Returns an answer, and fails if it is a rejection. */
export function accepted<T extends object>(answer: T): Exclude<T, { rejected: unknown }> {
  if (isRejection(answer)) assert.fail(JSON.stringify(answer));
  return answer as Exclude<T, { rejected: unknown }>;
}

/** A hub as the cloud sees it. */
export class TestHub {
  readonly id: string;
  readonly key: IssuerKey;

  private constructor(id: string, key: IssuerKey) {
    this.id = id;
    this.key = key;
  }

  static async make(id: string = randomUUID()): Promise<TestHub> {
    return new TestHub(id, await generateIssuerKey());
  }

  /** Returns a hub with this id and the key of another hub. */
  static of(id: string, { key }: TestHub): TestHub {
    return new TestHub(id, key);
  }

  /**
   * Returns the request to open a session, over a nonce. @param address of the cloud, as the hub has dialled
   * it
   */
  async request(address: string, nonce: string): Promise<HubSessionRequest> {
    const { x } = this.key.publicJwk;
    const publicJwk = { kty: "OKP", crv: "Ed25519", x } as HubIdentity;
    const proof = await signHubAssertion({ hub_id: this.id, nonce }, address, this.key);
    return { hubId: this.id, publicJwk, name: "Cabin", version: "1.14.15.1", features: [15], proof };
  }

  async connect(cloud: Cloud): Promise<HubSession> {
    const { nonce } = cloud.hubs.challenge(this.id);
    return accepted(await cloud.hubs.openSession(await this.request(cloud.issuer, nonce)));
  }
}
