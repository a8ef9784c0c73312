/** Returns the seconds of a time of UPnP such as "0:03:20"; undefined for another text, and for none. */
export function secondsIn(time: unknown): number | undefined {
  if (typeof time !== "string") return undefined;
  const [, hours, minutes, seconds] = /^(\d+):([0-5]\d):([0-5]\d)(?:\.\d+)?$/.exec(time) ?? [];
  if (hours === undefined) return undefined;
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}

/** Returns seconds as UPnP writes them, such as "0:03:20". */
export function timeOf(seconds: number): string {
  const two = (part: number): string => String(Math.floor(part)).padStart(2, "0");
  return `${Math.floor(seconds / 3600)}:${two((seconds % 3600) / 60)}:${two(seconds % 60)}`;
}

/** A track that a player plays now. */
export interface Track {
  /** Another number is another track. */
  readonly number: unknown;
  /** Title and artist, as far as it says. */
  readonly text: string;
  /** Its length (s); undefined where none is known, such as of a radio station. */
  readonly lengthS: number | undefined;
}

/** Returns the track in a player's `avtData`. */
export function trackOf(value: unknown): Track {
  const { currentTrackMetadata, currentTrackDuration, currentTrack } = (value ?? {}) as {
    readonly currentTrackMetadata?: object | null;
    readonly currentTrackDuration?: unknown;
    readonly currentTrack?: unknown;
  };
  const { title, artist } = (currentTrackMetadata ?? {}) as { title?: unknown; artist?: unknown };
  const text = [title, artist].filter((each) => typeof each === "string" && each !== "").join(", ");
  const lengthS = secondsIn(currentTrackDuration);
  return { number: currentTrack, text, lengthS: lengthS === 0 ? undefined : lengthS };
}
