import { AdapterError } from "@ledge/port";
import {
  bodyOf,
  envelope,
  escaped,
  exchange,
  ExchangeError,
  pathOn,
  type Place,
  SoapFault,
  type XmlElement,
  XmlError,
} from "@ledge/soap";
import type { Described, Service } from "./answers.ts";

const timeoutMs = 4000;
const answerBytes = 512 * 1024;

/** Carries out actions of one device, at one address. */
export class Control {
  readonly #place: Place;
  readonly #described: Described;

  constructor(place: Place, described: Described) {
    this.#place = place;
    this.#described = described;
  }

  get described(): Described {
    return this.#described;
  }

  has(service: Service): boolean {
    return this.#described.services[service] !== undefined;
  }

  /**
   * Carries out an action of a service, and returns its results.
   * @throws AdapterError
   */
  async act(
    service: Service,
    action: string,
    fields: Readonly<Record<string, string | number>>,
    signal: AbortSignal,
  ): Promise<XmlElement> {
    const address = this.#described.services[service];
    const on = address && pathOn(address.control, this.#place);
    if (address === undefined || on === undefined)
      throw new AdapterError("unsupported", `there is no ${service}`);
    const instance = service === "ContentDirectory" ? {} : { InstanceID: 0 };
    const content = Object.entries({ ...instance, ...fields }).map(
      ([name, value]) => `<${name}>${escaped(String(value))}</${name}>`,
    );
    const body = `<u:${action} xmlns:u="${escaped(address.type)}">${content.join("")}</u:${action}>`;
    try {
      const answer = await exchange({
        ...on,
        method: "POST",
        headers: {
          "Content-Type": 'text/xml; charset="utf-8"',
          SOAPAction: `"${address.type.replaceAll(/[^\w:.-]/g, "")}#${action}"`,
        },
        body: envelope("1.1", body),
        bytesMax: answerBytes,
        timeoutMs,
        signal,
      });
      return bodyOf(answer.body.toString("utf8"));
    } catch (error) {
      throw adapterErrorOfDevice(error);
    }
  }
}

/** Fetches a description of a device. @throws AdapterError */
export async function fetchText(place: Place, path: string, signal: AbortSignal): Promise<string> {
  try {
    const { status, body } = await exchange({
      place,
      path,
      method: "GET",
      headers: {},
      bytesMax: answerBytes,
      timeoutMs,
      signal,
    });
    if (status !== 200) throw new AdapterError("refused", `the device answers ${status}`);
    return body.toString("utf8");
  } catch (error) {
    throw adapterErrorOfDevice(error);
  }
}

/** Errors of UPnP (Device Architecture 1.1, table 3-3): no such action, wrong arguments, not built. */
const unsupported: ReadonlySet<string> = new Set(["401", "402", "404", "602"]);

export function adapterErrorOfDevice(error: unknown): AdapterError {
  if (error instanceof AdapterError) return error;
  const { message } = error as Error;
  const options = { cause: error };
  if (error instanceof SoapFault) {
    const isUnsupported = error.codes.some((code) => unsupported.has(code));
    return new AdapterError(isUnsupported ? "unsupported" : "refused", message, options);
  }
  if (error instanceof XmlError) return new AdapterError("refused", `no UPnP: ${message}`, options);
  if (error instanceof ExchangeError) {
    if (error.failure === "timeout" || error.failure === "cancelled")
      return new AdapterError(error.failure, message, options);
    return new AdapterError(error.failure === "large" ? "refused" : "unreachable", message, options);
  }
  return new AdapterError("unreachable", String(error), options);
}
