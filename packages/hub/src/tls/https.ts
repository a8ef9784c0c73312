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

/** The state of HTTPS; `problem` is the reason why it is not served. */
export interface HttpsState {
  readonly address: string | null;
  /** SHA-256 of the certificate, as pairs of hexadecimal digits with colons. */
  readonly fingerprint: string | null;
  readonly problem: string | null;
  /**
   * The reason why the hub's own certificate is unusable; null when it is usable, or when the profile names
   * another.
   */
  readonly lost: string | null;
  /** The expiry of the certificate (ms since the epoch), and whether to renew it; null while none is served. */
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

/** The default port of HTTPS. */
export const httpsPort = 8943;

export interface HttpsOptions {
  readonly folder: string;
  readonly profile: Pick<Profile, "certificate">;
  readonly host: string;
  /** The port; 0 for any free one. */
  readonly port: number;
  /** The host name in the hub's own certificate. */
  readonly name: string;
  readonly logger: Logger;
  /** Called after the files of a configured certificate have changed and the new one is served. */
  readonly renewed?: () => void;
  /** How often these files are checked (ms). */
  readonly checkMs?: number;
  /** The count of connections to share with other servers. Default: its own. */
  readonly connections?: Connections;
}

/**
 * Serves the API over HTTPS in addition. A hub that cannot do so goes on without, because the home must not
 * wait for it.
 */
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

  /** The validity of the served certificate; undefined while none is served. */
  get validity(): Validity | undefined {
    return this.#validity;
  }

  /** Resolves when HTTPS is served, or when it is known why not. */
  async start(fetch: Fetch, options: HttpsOptions): Promise<void> {
    const { host, port, logger } = options;
    let served: ReturnType<typeof serverOf> | undefined;
    try {
      served = serverOf(fetch, options);
      const { server, present } = served;
      const address = await listen(server, host, port);
      this.#server = server;
      this.#state = { ...this.#state, address, problem: null, lost: null };
      this.#shows(present.certificate);
      this.#follow(server, present, options);
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

  /** Follows the files of a configured certificate, so that a renewal needs no restart. */
  #follow(server: TlsServer, present: KeyAndCertificate, options: HttpsOptions): void {
    const { profile, logger, renewed = () => {}, checkMs = limits.certificateCheckMs } = options;
    if (profile.certificate === undefined) return;
    const taken = (certificate: string): void => {
      this.#shows(certificate);
      renewed();
    };
    const read = (): KeyAndCertificate => keyAndCertificate(options);
    ({ stop: this.#stopFollowing } = followCertificate(server, { present, read, logger, checkMs, taken }));
  }
}

/** @throws as `keyAndCertificate`, and Error when the files hold no key and certificate */
function serverOf(
  fetch: Fetch,
  options: Pick<HttpsOptions, "folder" | "profile" | "name" | "connections">,
): { server: TlsServer; present: KeyAndCertificate } {
  const present = keyAndCertificate(options);
  const { key, certificate } = present;
  validityOf(certificate);
  return { server: createTlsServer(fetch, key, certificate, options), present };
}

/**
 * Returns the configured certificate, else the hub's own, which is made on the first start (0600).
 * @throws Error when a file cannot be read or written. An invalid certificate is never replaced, because
 * clients trust its fingerprint.
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
