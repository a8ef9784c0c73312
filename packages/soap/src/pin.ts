import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import type { Place } from "./address.ts";

/** A device shows another certificate than the pinned one. */
export class OtherCertificate extends Error {
  override readonly name = "OtherCertificate";
}

/**
 * The certificate of one device, which no authority signs: the first one that it shows is pinned, unless one is known, and no
 * other is accepted.
 */
export class Pin {
  #fingerprint: string | undefined;

  /** @param fingerprint SHA-256 as pairs of digits with colons */
  constructor(fingerprint?: string) {
    this.#fingerprint = fingerprint;
  }

  get fingerprint(): string | undefined {
    return this.#fingerprint;
  }

  /**
   * Opens TLS to a place; nothing was sent yet.
   * @throws OtherCertificate, or what ended the connection
   */
  async open({ address, port }: Place, signal: AbortSignal): Promise<TLSSocket> {
    signal.throwIfAborted();
    const socket = connect({ host: address, port, rejectUnauthorized: false });
    try {
      await once(socket, "secureConnect", { signal });
      const { fingerprint256 } = socket.getPeerCertificate();
      this.#fingerprint ??= fingerprint256;
      if (fingerprint256 === this.#fingerprint) return socket;
      throw new OtherCertificate("shows another certificate than the pinned one");
    } catch (error) {
      socket.on("error", () => {});
      socket.destroy();
      throw error;
    }
  }
}
