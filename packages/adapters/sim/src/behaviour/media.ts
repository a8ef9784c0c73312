import { part } from "./behaviour.ts";

interface Player {
  readonly isOn: boolean;
  readonly rcData: object;
  readonly track: number;
}

/** The number of tracks in the queue. */
export const queueLength = 3;

/** A player. Commands change single sound settings; while it is on, it plays the first track of its queue. */
export const player = part<Player>({
  begin: () => ({
    isOn: false,
    rcData: { type: "MR_RC_DATA", volume: 20, mute: false, bass: 0, treble: 0, loudness: true },
    track: 1,
  }),
  show: ({ isOn, rcData, track }) => ({
    isOn,
    rcData,
    avtData: {
      type: "MR_AVT_DATA",
      state: isOn ? "PLAYING" : "STOPPED",
      playMode: "NORMAL",
      currentTrack: track,
      currentTrackDuration: "0:03:20",
      currentTrackMetadata: {},
      numberOfTracks: queueLength,
    },
  }),
  set: (state, wanted) => ({
    ...moved(state, wanted["avtData"]),
    ...(typeof wanted["isOn"] === "boolean" && { isOn: wanted["isOn"] }),
    rcData: { ...state.rcData, ...said(wanted["rcData"]) },
  }),
});

/** Returns a player after an action of its transport: PLAY, PAUSE, STOP, NEXT or PREVIOUS. Others leave it. */
function moved(state: Player, asked: unknown): Player {
  const { action } = (asked ?? {}) as { readonly action?: unknown };
  if (action === "PLAY") return { ...state, isOn: true };
  if (action === "PAUSE" || action === "STOP") return { ...state, isOn: false };
  const by = action === "NEXT" ? 1 : action === "PREVIOUS" ? -1 : 0;
  return { ...state, track: Math.min(queueLength, Math.max(1, state.track + by)) };
}

/** Returns the fields of a nested object that are not null; the others stay as they are. */
function said(nested: unknown): object {
  if (typeof nested !== "object" || nested === null) return {};
  return Object.fromEntries(Object.entries(nested).filter(([, value]) => value !== null));
}

/** A camera without viewers that records on command. */
export const camera = part<{ isOn: boolean; recording: boolean }>({
  begin: () => ({ isOn: true, recording: false }),
  show: (state) => ({ ...state, viewerCount: 0, media: "main", connectionState: "CONNECTED" }),
  set: (state, wanted) => ({
    isOn: typeof wanted["isOn"] === "boolean" ? wanted["isOn"] : state.isOn,
    recording: typeof wanted["recording"] === "boolean" ? wanted["recording"] : state.recording,
  }),
});
