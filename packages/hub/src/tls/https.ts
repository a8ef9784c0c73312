import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Connections } from "@ledge/host/connections";
import { writeWhole } from "@ledge/host/folder";
import type { Logger } from "@ledge/host/logger";
import type { Profile } from "../profile.ts";
import type { Server as TlsServer } from "node:https";
import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import type { Expiry, Validity } from "@ledge/host/certificate";
import { expiryAt, followCertificate, validityOf } from "@ledge/host/certificate";
import type { Fetch } from "@ledge/host/server";
import { closeServer, createTlsServer, listen } from "@ledge/host/server";
import type { KeyAndCertificate } from "@ledge/host/self-signed";
import { makeSelfSigned } from "@ledge/host/self-signed";

/** How the API is served encrypted; by `problem` why it is not. */
export interface HttpsState {
  readonly address: string | null;
  /** SHA-256 of the certificate, as pairs of hexadecimal digits with colons. */
  readonly fingerprint: string | null;
  readonly problem: string | null;
  /** Why the hub's own certificate cannot be used; null when it can, or when the profile names another. */
  readonly lost: string | null;
  /** When the certificate expires (ms since the epoch), and whether it is time to renew it; null while none is served. */
  readonly until: number | null;
  readonly expiry: Expiry | null;
}

export const notServed: HttpsState = {
  address: null,
  fingerprint: null,
  problem: null,
  lost: null,
  until: null,
  expiry: null,
};

/** The port where neither profile nor command line says another. */
export const httpsPort = 8943;

export interface HttpsOptions {
  readonly folder: string;
  readonly profile: Pick<Profile, "certificate">;
  readonly host: string;
  /** 0 for any. */
  readonly port: number;
  /** By which the hub's own certificate calls it. */
  readonly name: string;
  readonly logger: Logger;
  /** After files that the profile names have changed, and another certificate is shown. */
  readonly renewed?: () => void;
  /** How often these files are looked at (ms). */
  readonly checkMs?: number;
  /** Where its connections count; by default by themselves. */
  readonly connections?: Connections;
}

/** The API once more, encrypted. A hub that cannot serve it so goes on without: its home must not wait for that. */
export class Https {
  readonly #clock: Pick<Clock, "wall">;
  #state: Omit<HttpsState, "until" | "expiry"> = { ...notServed, problem: "not started" };
  #server: TlsServer | undefined;
  #validity: Validity | undefined;
  #stopFollowing: () => void = () => {};

  constructor(clock: Pick<Clock, "wall">) {
    this.#clock = clock;
  }

  get state(): HttpsState {
    const validity = this.#validity;
    const until = validity?.until ?? null;
    const expiry = validity === undefined ? null : expiryAt(validity, this.#clock.wall());
    return { ...this.#state, until, expiry };
  }

  /** Of the certificate that is shown; undefined while none is. */
  get validity(): Validity | undefined {
    return this.#validity;
  }

  /** Resolves when it is served, or known why it is not. */
  async start(fetch: Fetch, options: HttpsOptions): Promise<void> {
    const { host, port, logger } = options;
    let served: ReturnType<typeof serverOf> | undefined;
    try {
      served = serverOf(fetch, options);
      const { server, certificate } = served;
      const address = await listen(server, host, port);
      this.#server = server;
      this.#state = { ...this.#state, address, problem: null, lost: null };
      this.#shows(certificate);
      this.#follow(server, options);
    } catch (error) {
      const problem = (error as Error).message;
      const isLost = served === undefined && options.profile.certificate === undefined;
      this.#state = { ...this.#state, problem, lost: isLost ? `https.json: ${problem}` : null };
      logger.error({ problem }, "the API is not served by HTTPS");
    }
  }

  async close(): Promise<void> {
    this.#stopFollowing();
    if (this.#server !== undefined) await closeServer(this.#server);
  }

  #shows(certificate: string): void {
    this.#validity = validityOf(certificate);
    const { fingerprint256: fingerprint } = new X509Certificate(certificate);
    this.#state = { ...this.#state, fingerprint };
  }

  /** Whoever renews a certificate has no need to restart the hub. */
  #follow(server: TlsServer, options: HttpsOptions): void {
    const { profile, logger, renewed = () => {}, checkMs = limits.certificateCheckMs } = options;
    const { certificate: named } = profile;
    if (named === undefined) return;
    const taken = (certificate: string): void => {
      this.#shows(certificate);
      renewed();
    };
    const read = (): KeyAndCertificate => keyAndCertificate(options);
    const files = [named.key, named.file];
    ({ stop: this.#stopFollowing } = followCertificate(server, { files, read, logger, checkMs, taken }));
  }
}

/** @throws as `keyAndCertificate`, and Error when they are none */
function serverOf(
  fetch: Fetch,
  options: Pick<HttpsOptions, "folder" | "profile" | "name" | "connections">,
): { server: TlsServer; certificate: string } {
  const { key, certificate } = keyAndCertificate(options);
  validityOf(certificate);
  return { server: createTlsServer(fetch, key, certificate, options), certificate };
}

/**
 * What the profile names, else the hub's own, which is made when there is none yet (0600).
 * @throws Error when a file cannot be read or written. One that cannot be understood is never replaced: clients trust
 *   its fingerprint.
 */
function keyAndCertificate({
  folder,
  profile: { certificate: named },
  name,
}: Pick<HttpsOptions, "folder" | "profile" | "name">): KeyAndCertificate {
  if (named !== undefined)
    return { key: readFileSync(named.key, "utf8"), certificate: readFileSync(named.file, "utf8") };
  const file = join(folder, "https.json");
  if (!existsSync(file)) writeWhole(file, `${JSON.stringify(makeSelfSigned(name))}\n`);
  return JSON.parse(readFileSync(file, "utf8")) as KeyAndCertificate;
}
