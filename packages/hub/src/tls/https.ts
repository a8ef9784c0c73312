import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "@ledge/host/folder";
import type { Logger } from "@ledge/host/logger";
import type { Profile } from "../profile.ts";
import type { Fetch, Listening } from "@ledge/host/server";
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
}

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
}

/** The API once more, encrypted. A hub that cannot serve it so goes on without: its home must not wait for that. */
export class Https {
  #state: HttpsState = { address: null, fingerprint: null, problem: "not started", lost: null };
  #server: Listening | undefined;

  get state(): HttpsState {
    return this.#state;
  }

  /** Resolves when it is served, or known why it is not. */
  async start(fetch: Fetch, { host, port, logger, ...options }: HttpsOptions): Promise<void> {
    let served: ReturnType<typeof serverOf> | undefined;
    try {
      served = serverOf(fetch, options);
      const { server, fingerprint } = served;
      const address = await listen(server, host, port);
      this.#server = server;
      this.#state = { address, fingerprint, problem: null, lost: null };
    } catch (error) {
      const problem = (error as Error).message;
      const isLost = served === undefined && options.profile.certificate === undefined;
      this.#state = { ...this.#state, problem, lost: isLost ? `https.json: ${problem}` : null };
      logger.error({ problem }, "the API is not served by HTTPS");
    }
  }

  async close(): Promise<void> {
    if (this.#server !== undefined) await closeServer(this.#server);
  }
}

/** @throws as `keyAndCertificate`, and Error when they are none */
function serverOf(
  fetch: Fetch,
  options: Pick<HttpsOptions, "folder" | "profile" | "name">,
): { server: Listening; fingerprint: string } {
  const { key, certificate } = keyAndCertificate(options);
  const { fingerprint256: fingerprint } = new X509Certificate(certificate);
  return { server: createTlsServer(fetch, key, certificate), fingerprint };
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
