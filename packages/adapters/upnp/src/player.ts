import type { Capability } from "@ledge/model";
import { AdapterError } from "@ledge/port";
import { numberAt, pathOn, type Place, textAt, type XmlElement } from "@ledge/soap";
import { durationMs, type Music, type MusicObject, readMaximum, readObjects, said } from "./answers.ts";
import { type Control, fetchText } from "./control.ts";

const channel = { Channel: "Master" } as const;
const playModes = ["NORMAL", "REPEAT_ALL", "SHUFFLE_NOREPEAT", "SHUFFLE"] as const;
const states = ["PLAYING", "TRANSITIONING", "PAUSED_PLAYBACK", "STOPPED"] as const;
/** The queue of a player that has one among the folders of its content directory. */
const queueId = "Q:0";

/** Parts of `rcData`, with the action that reads each. */
const sounds = {
  volume: { capability: "VOLUME", action: "Volume", isChannel: true },
  mute: { capability: "MUTE", action: "Mute", isChannel: true },
  loudness: { capability: "LOUDNESS", action: "Loudness", isChannel: true },
  bass: { capability: "BASS", action: "Bass", isChannel: false },
  treble: { capability: "TREBLE", action: "Treble", isChannel: false },
} as const;
type Sound = keyof typeof sounds;
const soundNames = Object.keys(sounds) as readonly Sound[];

/** What a renderer can do. Plain data. */
export interface Abilities {
  readonly sounds: readonly Sound[];
  /** The renderer's number for full volume. */
  readonly loudest: number;
}

/** Asks a renderer what it can do. @throws AdapterError when it does not answer */
export async function abilitiesOf(control: Control, place: Place, signal: AbortSignal): Promise<Abilities> {
  if (!control.has("RenderingControl")) return { sounds: [], loudest: 100 };
  const found: Sound[] = [];
  for (const name of soundNames) if ((await readSound(control, name, signal)) !== undefined) found.push(name);
  const { description } = control.described.services.RenderingControl ?? {};
  const on = description === undefined ? undefined : pathOn(description, place);
  const text = on && (await optional(fetchText(on.place, on.path, signal)));
  return { sounds: found, loudest: loudestIn(text) };
}

function loudestIn(text: string | undefined): number {
  try {
    const maximum = text === undefined ? undefined : readMaximum(text, "Volume");
    return maximum !== undefined && maximum >= 1 ? maximum : 100;
  } catch {
    return 100;
  }
}

export function capabilitiesOf({ sounds: has }: Abilities): readonly Capability[] {
  const played = ["PLAY", "PAUSE", "STOP", "NEXT", "PREVIOUS", "SEEK"] as const;
  return ["DEVICE", "ON_OFF", ...played, ...has.map((name) => sounds[name].capability)];
}

/** Returns the attributes of a renderer as they are now. @throws AdapterError */
export async function readPlayer(
  control: Control,
  abilities: Abilities,
  signal: AbortSignal,
): Promise<{ readonly isOn: boolean; readonly avtData: object; readonly rcData: object }> {
  const asked = (action: string): Promise<XmlElement | undefined> =>
    optional(control.act("AVTransport", action, {}, signal));
  const info = await control.act("AVTransport", "GetTransportInfo", {}, signal);
  const [position, media, settings] = [
    await asked("GetPositionInfo"),
    await asked("GetMediaInfo"),
    await asked("GetTransportSettings"),
  ];
  const told = textAt(info, "CurrentTransportState");
  const state = states.find((each) => each === told) ?? "STOPPED";
  const [track] = readObjects(textAt(position, "TrackMetaData"));
  const rcData: Record<string, unknown> = { type: "MR_RC_DATA" };
  for (const name of abilities.sounds)
    rcData[name] = shown(name, await readSound(control, name, signal), abilities);
  const mode = textAt(settings, "PlayMode");
  return {
    isOn: state === "PLAYING" || state === "TRANSITIONING",
    avtData: {
      type: "MR_AVT_DATA",
      state,
      playMode: playModes.find((each) => each === mode) ?? "NORMAL",
      currentTrack: numberAt(position, "Track") ?? 0,
      currentTrackDuration: said(textAt(position, "TrackDuration")) ?? "0:00:00",
      currentTrackMetadata: track === undefined ? {} : musicOf(track),
      numberOfTracks: numberAt(media, "NrTracks") ?? 0,
    },
    rcData,
  };
}

async function readSound(control: Control, name: Sound, signal: AbortSignal): Promise<string | undefined> {
  const { action, isChannel } = sounds[name];
  const fields = isChannel ? channel : {};
  const answer = await optional(control.act("RenderingControl", `Get${action}`, fields, signal));
  return textAt(answer, `Current${action}`);
}

function shown(name: Sound, text: string | undefined, { loudest }: Abilities): number | boolean | null {
  if (text === undefined) return null;
  if (name === "mute" || name === "loudness") return text === "1" || text.toLowerCase() === "true";
  const value = Number(text);
  if (!Number.isFinite(value)) return null;
  return name === "volume" ? clamp((value / loudest) * 100, 0, 100) : clamp(value, -10, 10);
}

/** Carries out the attributes of a command. @throws AdapterError */
export async function command(
  control: Control,
  abilities: Abilities,
  attributes: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<void> {
  const { isOn, rcData, avtData } = attributes;
  for (const name of soundNames) {
    const wanted = (rcData as Readonly<Record<string, unknown>> | null | undefined)?.[name];
    if (wanted === undefined || wanted === null) continue;
    if (!abilities.sounds.includes(name))
      throw new AdapterError("unsupported", `the renderer has no ${name}`);
    const { action, isChannel } = sounds[name];
    const value = name === "volume" ? Math.round((Number(wanted) * abilities.loudest) / 100) : Number(wanted);
    const fields = { ...(isChannel && channel), [`Desired${action}`]: value };
    await control.act("RenderingControl", `Set${action}`, fields, signal);
  }
  if (avtData !== undefined && avtData !== null)
    await transport(control, avtData as Readonly<Record<string, unknown>>, signal);
  if (typeof isOn === "boolean") await act(control, isOn ? "PLAY" : "STOP", undefined, signal);
}

async function transport(
  control: Control,
  { action, position, playMode, currentTrack }: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<void> {
  if (playMode !== undefined && playMode !== null) {
    if (!playModes.some((each) => each === playMode))
      throw new AdapterError("refused", `playMode: must be one of ${playModes.join(", ")}`);
    await control.act("AVTransport", "SetPlayMode", { NewPlayMode: playMode as string }, signal);
  }
  if (typeof currentTrack === "number")
    await control.act("AVTransport", "Seek", { Unit: "TRACK_NR", Target: currentTrack }, signal);
  if (typeof action === "string") await act(control, action, position, signal);
}

async function act(control: Control, action: string, position: unknown, signal: AbortSignal): Promise<void> {
  const plain: Readonly<Record<string, string>> = {
    PAUSE: "Pause",
    STOP: "Stop",
    NEXT: "Next",
    PREVIOUS: "Previous",
  };
  const name = Object.hasOwn(plain, action) ? plain[action] : undefined;
  if (name !== undefined) await control.act("AVTransport", name, {}, signal);
  else if (action === "PLAY") await control.act("AVTransport", "Play", { Speed: 1 }, signal);
  else if (action === "SEEK") {
    if (typeof position !== "string" || durationMs(position) === null)
      throw new AdapterError("refused", "position: must be a time such as 0:01:30");
    await control.act("AVTransport", "Seek", { Unit: "REL_TIME", Target: position }, signal);
  } else throw new AdapterError("refused", "action: must be one of PLAY, PAUSE, STOP, NEXT, PREVIOUS, SEEK");
}

/** Returns MR_CD: a folder of the content directory. @throws AdapterError */
export async function browse(
  control: Control,
  { objectId, start, count }: { readonly objectId: string; readonly start: number; readonly count: number },
  signal: AbortSignal,
): Promise<object> {
  const answer = await control.act(
    "ContentDirectory",
    "Browse",
    {
      ObjectID: objectId,
      BrowseFlag: "BrowseDirectChildren",
      Filter: "*",
      StartingIndex: start,
      RequestedCount: count,
      SortCriteria: "",
    },
    signal,
  );
  const objects = readObjects(textAt(answer, "Result")).slice(0, count);
  const items = objects.map((each) => ({ type: "MR_CD_ITEM", ...each }));
  return { type: "MR_CD", objectId, total: numberAt(answer, "TotalMatches") ?? items.length, items };
}

const tracksMax = 500;

/**
 * Returns MR_QUEUE. A renderer with a content directory shows its queue there; of any other the present and the next
 * track are known.
 * @throws AdapterError
 */
export async function readQueue(control: Control, signal: AbortSignal): Promise<object> {
  const position = await control.act("AVTransport", "GetPositionInfo", {}, signal);
  const current = numberAt(position, "Track") ?? 0;
  const queued = await queuedIn(control, signal);
  const tracks = queued ?? (await besideOf(control, position, Math.max(current, 1), signal));
  return { type: "MR_QUEUE", currentTrack: current >= 1 ? current : null, tracks };
}

async function queuedIn(control: Control, signal: AbortSignal): Promise<readonly object[] | undefined> {
  if (!control.has("ContentDirectory")) return undefined;
  const place = { objectId: queueId, start: 0, count: tracksMax };
  const folder = (await optional(browse(control, place, signal))) as
    | { readonly items: readonly MusicObject[] }
    | undefined;
  return folder?.items.map((item, index) => trackOf(item, index + 1));
}

async function besideOf(
  control: Control,
  position: XmlElement,
  current: number,
  signal: AbortSignal,
): Promise<readonly object[]> {
  const media = await optional(control.act("AVTransport", "GetMediaInfo", {}, signal));
  const [present] = readObjects(textAt(position, "TrackMetaData"));
  const [next] = readObjects(textAt(media, "NextURIMetaData"));
  const duration = durationMs(textAt(position, "TrackDuration") ?? "");
  return [
    ...(present ? [trackOf({ ...present, durationMs: present.durationMs ?? duration }, current)] : []),
    ...(next ? [trackOf(next, current + 1)] : []),
  ];
}

function trackOf(music: Music, number: number): object {
  return { type: "MR_TRACK", number, ...musicOf(music) };
}

function musicOf({ title, artist, album, durationMs: lasts }: Music): Music {
  return { title, artist, album, durationMs: lasts };
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(Math.round(value), least), most);
}

/** What a renderer need not have. @throws AdapterError when it no longer answers */
async function optional<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof AdapterError && ["refused", "unsupported"].includes(error.code)) return undefined;
    throw error;
  }
}
