import type { NativeId } from "@ledge/port";
import type { XmlElement } from "@ledge/soap";
import {
  type Position,
  getCapabilities,
  getEventProperties,
  getInformation,
  getInterfaces,
  getPresets,
  getProfiles,
  getServices,
  getSnapshotUri,
  getStatus,
  getStreamUri,
  getTime,
  type Media,
} from "./messages.ts";
import {
  type Preset,
  type Profile,
  readHardwareAddress,
  readInformation,
  readPosition,
  readPresets,
  readProfiles,
  readServices,
  readsMotion,
  readTime,
  readUri,
  streamUri,
} from "./answers.ts";
import { CameraError, cameraErrorOf } from "./camera-error.ts";
import type { OnvifClient } from "./client.ts";

/** What a camera is, without what its state is: enough to describe it while it is away. Plain data. */
export interface Known {
  /** Of the hardware: the same at another address. */
  readonly identity: NativeId;
  readonly manufacturer: string | null;
  readonly model: string | null;
  readonly streams: readonly Stream[];
  readonly seesMotion: boolean;
  readonly presets: readonly Preset[];
  /** Null for a camera that cannot be sent to a place. */
  readonly position: Position | null;
  /** SHA-256 of its certificate; absent for a camera without TLS. */
  readonly certificate?: string;
  /** The profile by which it is moved; null for one that does not move. */
  readonly moves: string | null;
}

/** A stream of a camera, with the addresses that a client may open. */
export interface Stream extends Profile {
  readonly uri: string | null;
  readonly snapshotUri: string | null;
}

/**
 * Returns whether an ONVIF device is there: the one question that every one answers without a login.
 * @throws CameraError
 */
export async function greet(client: OnvifClient, signal?: AbortSignal): Promise<void> {
  try {
    client.learn({ time: readTime(await client.ask(getTime, signal, { withoutLogin: true })) });
  } catch (error) {
    // Some want a login even for that.
    if (cameraErrorOf(error).failure !== "credentials") throw error;
  }
}

/**
 * Looks a camera over that has been greeted.
 * @param password of the hub's login, which no address may show
 * @throws CameraError
 */
export async function look(
  client: OnvifClient,
  password: string | undefined,
  signal?: AbortSignal,
): Promise<Known> {
  const { serial, ...made } = readInformation(await client.ask(getInformation, signal));
  const identity = await identityOf(client, made.manufacturer, serial, signal);
  client.learn({ services: await servicesOf(client, signal) });
  const media: Media = client.services.media === undefined ? "media2" : "media";
  if (client.services[media] === undefined) throw new CameraError("unsupported", "has no video");
  const profiles = readProfiles(await client.ask(getProfiles(media), signal));
  if (profiles.length === 0) throw new CameraError("unsupported", "has no video");
  const streams: Stream[] = [];
  for (const profile of profiles) {
    const [uri, snapshotUri] = await Promise.all([
      addressOf(client, client.ask(getStreamUri(media, profile.token), signal), password),
      addressOf(client, client.ask(getSnapshotUri(media, profile.token), signal), password),
    ]);
    streams.push({ ...profile, uri, snapshotUri });
  }
  const moves = client.services.ptz === undefined ? undefined : profiles.find(({ canMove }) => canMove);
  const [presets, position, seesMotion] = await Promise.all([
    moves && optional(client.ask(getPresets(moves.token), signal), readPresets),
    moves && optional(client.ask(getStatus(moves.token), signal), readPosition),
    client.services.events && optional(client.ask(getEventProperties, signal), readsMotion),
  ]);
  const canMove = moves !== undefined && ((presets ?? []).length > 0 || position !== undefined);
  return {
    identity,
    ...made,
    streams,
    seesMotion: seesMotion === true,
    presets: presets ?? [],
    position: position ?? null,
    moves: canMove ? moves.token : null,
    ...(client.certificate !== undefined && { certificate: client.certificate }),
  };
}

async function identityOf(
  client: OnvifClient,
  manufacturer: string | null,
  serial: string | undefined,
  signal: AbortSignal | undefined,
): Promise<NativeId> {
  const number = serial ?? (await optional(client.ask(getInterfaces, signal), readHardwareAddress));
  if (number === undefined) throw new CameraError("unsupported", "tells no serial number");
  return `${manufacturer ?? "camera"}/${number}`.replaceAll(/[^\w./:-]+/g, "_");
}

async function servicesOf(
  client: OnvifClient,
  signal: AbortSignal | undefined,
): Promise<OnvifClient["services"]> {
  const services = await optional(client.ask(getServices, signal), readServices);
  if (services !== undefined && Object.keys(services).length > 0) return services;
  return readServices(await client.ask(getCapabilities, signal));
}

async function addressOf(
  client: OnvifClient,
  answer: Promise<XmlElement>,
  password: string | undefined,
): Promise<string | null> {
  const uri = await optional(answer, readUri);
  const host = client.authority.replace(/:\d+$/, "");
  return (uri === undefined ? undefined : streamUri(uri, host, password)) ?? null;
}

/** What a camera need not have. @throws CameraError when it no longer answers */
async function optional<T>(
  answer: Promise<XmlElement>,
  read: (answer: XmlElement) => T,
): Promise<T | undefined> {
  try {
    return read(await answer);
  } catch (error) {
    if (cameraErrorOf(error).failure === "unsupported") return undefined;
    throw error;
  }
}
