// What renderers answer, read from their XML. Nothing here trusts a device: every text has a length, every list an end.
import { all, at, numberAt, readXml, textAt, type XmlElement, XmlError } from "@ledge/soap";

const textChars = 200;
const objectsMax = 1000;

export type Service = "AVTransport" | "RenderingControl" | "ContentDirectory";
const services: readonly Service[] = ["AVTransport", "RenderingControl", "ContentDirectory"];

/** Where a service takes its actions. */
export interface ServiceAddress {
  /** Such as `urn:schemas-upnp-org:service:AVTransport:1`. */
  readonly type: string;
  readonly control: string;
  /** Where it is described. */
  readonly description: string | undefined;
}

/** What a device is. */
export interface Described {
  readonly udn: string;
  readonly name: string;
  readonly manufacturer: string | null;
  readonly model: string | null;
  readonly services: Readonly<Partial<Record<Service, ServiceAddress>>>;
}

/** Reads the description of a device; undefined where no renderer is in it. @throws XmlError */
export function readDescription(text: string): Described | undefined {
  const root = at(readXml(text), "device");
  const devices = devicesIn(root);
  const renderer = devices.find((device) =>
    /:device:MediaRenderer:\d+$/.test(textAt(device, "deviceType") ?? ""),
  );
  const udn = textAt(renderer, "UDN");
  if (renderer === undefined || udn === undefined || udn.length > textChars) return undefined;
  const found: Partial<Record<Service, ServiceAddress>> = {};
  // The renderer's own services go before those of the devices around it.
  for (const device of [renderer, ...devices])
    for (const each of all(at(device, "serviceList"), "service")) {
      const type = textAt(each, "serviceType") ?? "";
      const control = textAt(each, "controlURL");
      const name = services.find((service) => type.includes(`:service:${service}:`));
      if (name === undefined || control === undefined || type.length > textChars) continue;
      found[name] ??= { type, control, description: textAt(each, "SCPDURL") };
    }
  return {
    udn,
    name: said(textAt(renderer, "friendlyName") ?? textAt(root, "friendlyName")) ?? "Renderer",
    manufacturer: said(textAt(renderer, "manufacturer")),
    model: said(textAt(renderer, "modelName")),
    services: found,
  };
}

function devicesIn(device: XmlElement | undefined): readonly XmlElement[] {
  if (device === undefined) return [];
  return [device, ...all(at(device, "deviceList"), "device").flatMap(devicesIn)];
}

/** Returns the highest value of a variable in the description of a service. @throws XmlError */
export function readMaximum(text: string, variable: string): number | undefined {
  const table = at(readXml(text), "serviceStateTable");
  const found = all(table, "stateVariable").find((each) => textAt(each, "name") === variable);
  return numberAt(found, "allowedValueRange", "maximum");
}

/** A piece of music, as far as a device says. */
export interface Music {
  readonly title: string;
  readonly artist: string | null;
  readonly album: string | null;
  readonly durationMs: number | null;
}

export interface MusicObject extends Music {
  readonly objectId: string;
  readonly isContainer: boolean;
}

/** Reads DIDL-Lite, which devices put into an element as text. One that is none has no objects. */
export function readObjects(didl: string | undefined): readonly MusicObject[] {
  const root = didlOf(didl);
  return (root?.children ?? []).slice(0, objectsMax).flatMap((each) => {
    if (each.name !== "item" && each.name !== "container") return [];
    const duration = at(each, "res")?.attributes.get("duration");
    return [
      {
        objectId: (each.attributes.get("id") ?? "").slice(0, textChars).toWellFormed(),
        isContainer: each.name === "container",
        title: said(textAt(each, "title")) ?? "",
        artist: said(textAt(each, "artist") ?? textAt(each, "creator")),
        album: said(textAt(each, "album")),
        durationMs: duration === undefined ? null : durationMs(duration),
      },
    ];
  });
}

function didlOf(text: string | undefined): XmlElement | undefined {
  if (text === undefined || text === "NOT_IMPLEMENTED") return undefined;
  try {
    return readXml(text);
  } catch (error) {
    if (error instanceof XmlError) return undefined;
    throw error;
  }
}

/** Reads `1:02:03.5`; null for what is no duration. */
export function durationMs(text: string): number | null {
  const [, hours, minutes, seconds] = /^\+?(\d{1,4}):(\d{1,2}):(\d{1,2}(?:\.\d{1,6})?)/.exec(text) ?? [];
  if (hours === undefined) return null;
  return Math.round((Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000);
}

export function said(text: string | undefined): string | null {
  const shown = text?.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  return shown === undefined || shown === "" ? null : shown.slice(0, textChars).toWellFormed();
}
