import {
  authorityOf,
  bodyOf,
  digestAnswer,
  envelope,
  exchange,
  type Incoming,
  type Login,
  type Outgoing,
  pathOn,
  type Pin,
  type Place,
  securityHeader,
  type XmlElement,
  XmlError,
} from "@ledge/soap";
import type { ServiceAddresses } from "./answers.ts";
import { CameraError, cameraErrorOf } from "./camera-error.ts";
import type { Question, Service } from "./messages.ts";

export interface ClientOptions {
  readonly place: Place;
  readonly login: Login | undefined;
  /** The certificate that it must show, if it is spoken to through TLS. */
  readonly pin: Pin;
  /** ms since the epoch */
  readonly now: () => number;
  /** That many fresh random bytes. */
  readonly random: (bytes: number) => Buffer;
  /** The limit for one exchange that names none of its own. */
  readonly timeoutMs: number;
}

const answerBytes = 512 * 1024;
export const pictureBytes = 512 * 1024;
const devicePath = "/onvif/device_service";

/**
 * Asks one camera, at one address: whatever addresses the camera names for its services, only their paths and ports
 * count. Knows the login, and shows it to nobody: messages carry a digest.
 */
export class OnvifClient {
  readonly #options: ClientOptions;
  /** How far the camera's clock is ahead (ms): it refuses digests of another time. */
  #aheadMs = 0;
  #services: ServiceAddresses = {};

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  get authority(): string {
    return authorityOf(this.#options.place);
  }

  /** The SHA-256 of its certificate; undefined without TLS, and before the first answer. */
  get certificate(): string | undefined {
    return this.#options.pin.fingerprint;
  }

  /** Returns whether an address that the camera names is one that it can be asked at. */
  takes(uri: string): boolean {
    return pathOn(uri, this.#options.place) !== undefined;
  }

  /** Sets what the camera has said of itself. */
  learn(told: { readonly time?: number | undefined; readonly services?: ServiceAddresses }): void {
    if (told.time !== undefined) this.#aheadMs = told.time - this.#options.now();
    if (told.services !== undefined) this.#services = told.services;
  }

  get services(): ServiceAddresses {
    return this.#services;
  }

  /**
   * Asks a question and returns what is in the body of the answer.
   * @param path of a subscription
   * @throws CameraError
   */
  async ask(question: Question, signal?: AbortSignal, more: Asking = {}): Promise<XmlElement> {
    const { service, action, body, header = "" } = question;
    const { place, path } = this.#placeOf(service, more.path);
    const { login, now, random, timeoutMs } = this.#options;
    const isOpen = more.withoutLogin === true || login === undefined;
    const security = isOpen ? "" : securityHeader(login, now() + this.#aheadMs, random(16));
    const outgoing = {
      place,
      path,
      method: "POST",
      headers: { "Content-Type": `application/soap+xml; charset=utf-8; action="${action}"` },
      body: envelope("1.2", body, security + header),
      bytesMax: answerBytes,
      timeoutMs: more.timeoutMs ?? timeoutMs,
      signal,
    } as const;
    try {
      const answer = await this.#challenged(outgoing, isOpen ? undefined : login);
      return readAnswer(answer);
    } catch (error) {
      throw cameraErrorOf(error);
    }
  }

  /**
   * Fetches a picture.
   * @param uri as the camera named it
   * @throws CameraError
   */
  async picture(uri: string, signal?: AbortSignal): Promise<Buffer> {
    const on = pathOn(uri, this.#options.place);
    if (on === undefined) throw new CameraError("unsupported", "offers its picture by no HTTP");
    const { login, timeoutMs } = this.#options;
    try {
      const answer = await this.#challenged(
        { ...on, method: "GET", headers: {}, bytesMax: pictureBytes, timeoutMs, signal },
        login,
      );
      if (answer.status === 401 || answer.status === 403)
        throw new CameraError("credentials", "refuses the login");
      const isJpeg = answer.body[0] === 0xff && answer.body[1] === 0xd8;
      if (answer.status !== 200 || !isJpeg) throw new CameraError("unsupported", "answered no picture");
      return answer.body;
    } catch (error) {
      throw cameraErrorOf(error);
    }
  }

  #placeOf(service: Service, path: string | undefined): { readonly place: Place; readonly path: string } {
    const { place } = this.#options;
    const said =
      service === "device" ? devicePath : service === "subscription" ? path : this.#services[service];
    const on = said === undefined ? undefined : pathOn(said, place);
    if (on === undefined) throw new CameraError("unsupported", `has no service for ${service}`);
    return on;
  }

  /** Sends a request, and again with the login where the camera asks for it in the terms of HTTP. */
  async #challenged(outgoing: Outgoing, login: Login | undefined): Promise<Incoming> {
    const { pin } = this.#options;
    const answer = await exchange({ ...outgoing, pin });
    const challenge = answer.headers["www-authenticate"];
    if (answer.status !== 401 || challenge === undefined || login === undefined) return answer;
    const { method, path } = outgoing;
    const cnonce = this.#options.random(8).toString("hex");
    const authorization = digestAnswer(challenge, login, { method, path, cnonce });
    if (authorization === undefined) return answer;
    return await exchange({
      ...outgoing,
      pin,
      headers: { ...outgoing.headers, Authorization: authorization },
    });
  }
}

export interface Asking {
  readonly path?: string;
  readonly withoutLogin?: boolean;
  readonly timeoutMs?: number;
}

/** @throws SoapFault, XmlError, CameraError */
export function readAnswer({ status, body }: Pick<Incoming, "status" | "body">): XmlElement {
  try {
    return bodyOf(body.toString("utf8"));
  } catch (error) {
    if (error instanceof XmlError && (status === 401 || status === 403))
      throw new CameraError("credentials", "refuses the login", { cause: error });
    throw error;
  }
}
