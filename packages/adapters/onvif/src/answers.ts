// What cameras answer, read from their XML. Nothing here trusts a camera: every text has a length, every list an end.
import { all, at, numberAt, textAt, type XmlElement } from "@ledge/soap";
import type { Media, Position, Subscription } from "./messages.ts";
import { spaces } from "./messages.ts";

/** The most of each that the hub takes from one camera. */
export const answerLimits = { profiles: 8, presets: 64, topics: 200, events: 100 } as const;
const nameChars = 64;
/** A ReferenceToken of ONVIF. */
const tokenChars = 64;
const uriChars = 256;

/** Returns the time of a camera's clock (ms since the epoch); undefined where it tells none. */
export function readTime(answer: XmlElement): number | undefined {
  const utc = at(answer, "SystemDateAndTime", "UTCDateTime");
  const [year, month, day] = ["Year", "Month", "Day"].map((name) => numberAt(utc, "Date", name));
  const [hour, minute, second] = ["Hour", "Minute", "Second"].map((name) => numberAt(utc, "Time", name));
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const time = Date.UTC(year, month - 1, day, hour ?? 0, minute ?? 0, second ?? 0);
  return Number.isFinite(time) ? time : undefined;
}

export interface Information {
  readonly manufacturer: string | null;
  readonly model: string | null;
  readonly serial: string | undefined;
}

export function readInformation(answer: XmlElement): Information {
  return {
    manufacturer: nameOf(textAt(answer, "Manufacturer")) ?? null,
    model: nameOf(textAt(answer, "Model")) ?? null,
    serial: nameOf(textAt(answer, "SerialNumber")),
  };
}

/** Returns the hardware address of the first interface that has one. */
export function readHardwareAddress(answer: XmlElement): string | undefined {
  const addresses = all(answer, "NetworkInterfaces").map((each) => textAt(each, "Info", "HwAddress"));
  return addresses.find((address) => address !== undefined && /^[\da-fA-F:-]{12,17}$/.test(address));
}

/** Where the services of a camera are, as it spells them. */
export type ServiceAddresses = Readonly<Partial<Record<Media | "ptz" | "events", string>>>;

/** Reads the answer to GetServices, or to GetCapabilities of older cameras. */
export function readServices(answer: XmlElement): ServiceAddresses {
  const found: Partial<Record<Media | "ptz" | "events", string>> = {};
  const capabilities = at(answer, "Capabilities");
  for (const [name, service] of [
    ["Media", "media"],
    ["PTZ", "ptz"],
    ["Events", "events"],
  ] as const) {
    const address = textAt(capabilities, name, "XAddr");
    if (address !== undefined) found[service] = address;
  }
  for (const each of all(answer, "Service")) {
    const [space, address] = [textAt(each, "Namespace"), textAt(each, "XAddr")];
    for (const service of ["media", "media2", "ptz", "events"] as const)
      if (space === spaces[service] && address !== undefined) found[service] = address;
  }
  return found;
}

/** A stream of a camera. */
export interface Profile {
  readonly token: string;
  readonly name: string;
  readonly width: number;
  readonly height: number;
  /** kbit/s */
  readonly bitrate: number | undefined;
  /** Pictures per second. */
  readonly framerate: number | undefined;
  readonly canMove: boolean;
}

/** Returns the profiles with video; a profile without an encoder has nothing to see. */
export function readProfiles(answer: XmlElement): readonly Profile[] {
  const found = new Map<string, Profile>();
  for (const each of all(answer, "Profiles")) {
    const token = tokenOf(each);
    const video = at(each, "VideoEncoderConfiguration") ?? at(each, "Configurations", "VideoEncoder");
    const [width, height] = ["Width", "Height"].map((name) => numberAt(video, "Resolution", name));
    if (token === undefined || width === undefined || height === undefined) continue;
    if (found.size >= answerLimits.profiles) break;
    found.set(token, {
      token,
      name: nameOf(textAt(each, "Name")) ?? token,
      width: sizeOf(width),
      height: sizeOf(height),
      bitrate: numberAt(video, "RateControl", "BitrateLimit"),
      framerate: numberAt(video, "RateControl", "FrameRateLimit"),
      canMove: (at(each, "PTZConfiguration") ?? at(each, "Configurations", "PTZ")) !== undefined,
    });
  }
  return [...found.values()];
}

/** Returns the address of a stream or a picture, of both media services. */
export function readUri(answer: XmlElement): string | undefined {
  return textAt(answer, "MediaUri", "Uri") ?? textAt(answer, "Uri");
}

/** A place where a camera looks, by the name that somebody gave it. */
export interface Preset {
  readonly token: string;
  readonly name: string;
}

export function readPresets(answer: XmlElement): readonly Preset[] {
  const found = new Map<string, Preset>();
  for (const each of all(answer, "Preset")) {
    const token = tokenOf(each);
    if (token === undefined || found.size >= answerLimits.presets) continue;
    found.set(token, { token, name: nameOf(textAt(each, "Name")) ?? token });
  }
  return [...found.values()];
}

/** Returns where a camera looks; undefined where it does not tell, and so cannot be sent to a place. */
export function readPosition(answer: XmlElement): Position | undefined {
  const position = at(answer, "PTZStatus", "Position");
  const panTilt = at(position, "PanTilt")?.attributes;
  const zoom = fraction(at(position, "Zoom")?.attributes.get("x"), 0);
  const [pan, tilt] = [fraction(panTilt?.get("x"), -1), fraction(panTilt?.get("y"), -1)];
  if (zoom === undefined && (pan === undefined || tilt === undefined)) return undefined;
  return pan === undefined || tilt === undefined ? { zoom } : { pan, tilt, zoom };
}

/** Whether any topic of a camera's events is about motion. */
export function readsMotion(answer: XmlElement): boolean {
  let left: number = answerLimits.topics;
  const isMotion = (element: XmlElement): boolean => {
    left -= 1;
    return left > 0 && (motionTopic.test(element.name) || element.children.some(isMotion));
  };
  return at(answer, "TopicSet")?.children.some(isMotion) ?? false;
}

/** Returns where events are pulled from now on; undefined where the answer names no such place. */
export function readSubscription(answer: XmlElement): Subscription | undefined {
  const reference = at(answer, "SubscriptionReference");
  const address = textAt(reference, "Address");
  if (address === undefined || address.length > uriChars) return undefined;
  return { address, id: textAt(reference, "ReferenceParameters", "SubscriptionId") };
}

/** Motion that one part of a camera sees, or no longer sees. */
export interface MotionNews {
  /** The topic and its source: a camera may have several detectors. */
  readonly source: string;
  readonly isMoving: boolean;
}

const motionTopic = /motion|(?:people|human|person|vehicle|face|object|field)s?detect/i;

/** Returns what a camera's events say of motion, in their order. */
export function readMotion(answer: XmlElement): readonly MotionNews[] {
  return all(answer, "NotificationMessage")
    .slice(0, answerLimits.events)
    .flatMap((each) => {
      const topic = textAt(each, "Topic") ?? "";
      const message = at(each, "Message", "Message");
      if (!motionTopic.test(topic) || message === undefined) return [];
      const values = all(at(message, "Data"), "SimpleItem").map((item) => item.attributes.get("Value") ?? "");
      const value = values.find((text) => /^(?:true|false|0|1)$/i.test(text));
      if (value === undefined) return [];
      const isOver = message.attributes.get("PropertyOperation") === "Deleted";
      const items = all(at(message, "Source"), "SimpleItem").map(
        (item) => item.attributes.get("Value") ?? "",
      );
      const source = [topic, ...items].join(" ").slice(0, uriChars);
      return [{ source, isMoving: !isOver && /^(?:true|1)$/i.test(value) }];
    });
}

/**
 * Returns the address of a stream for a client to open: at the camera's own address, whatever the camera says, and
 * without a user. Undefined for one that no client could open, or that shows the password.
 * @param password of the hub's login
 */
export function streamUri(uri: string, authority: string, password: string | undefined): string | undefined {
  const parsed = uri.length > uriChars ? null : URL.parse(uri);
  if (parsed === null || !["rtsp:", "rtsps:", "http:", "https:"].includes(parsed.protocol)) return undefined;
  const path = `${parsed.pathname}${parsed.search}`;
  const shows = password !== undefined && password !== "" && decoded(path).includes(password);
  if (shows) return undefined;
  const port = parsed.port === "" ? "" : `:${parsed.port}`;
  return `${parsed.protocol}//${authority}${port}${path}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function tokenOf(element: XmlElement): string | undefined {
  const token = element.attributes.get("token") ?? "";
  return token === "" || token.length > tokenChars ? undefined : token;
}

function nameOf(text: string | undefined): string | undefined {
  const name = text?.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  return name === undefined || name === "" ? undefined : name.slice(0, nameChars).toWellFormed();
}

function sizeOf(pixels: number): number {
  return Math.min(Math.max(Math.round(pixels), 0), 65_535);
}

function fraction(text: string | undefined, least: number): number | undefined {
  const value = text === undefined || text.trim() === "" ? NaN : Number(text);
  return value >= least && value <= 1 ? value : undefined;
}
