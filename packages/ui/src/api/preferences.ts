// What this and other browsers of the user keep at the hub.
import { type Answer, call } from "./call.ts";

const path = "/hub/users/preferences";

/** PREFERENCES: whatever clients keep. */
export interface Preferences {
  readonly values: Readonly<Record<string, unknown>>;
}

export function preferences(): Promise<Answer<Preferences>> {
  return call(path);
}

/** Keeps values in the place of all that was kept. */
export function setPreferences(values: Preferences["values"]): Promise<Answer<true>> {
  return call(path, { method: "PUT", body: { type: "PREFERENCES", values } });
}

const ofHome = "/hub/preferences";

/** What clients keep for all who use the home. */
export function homePreferences(signal?: AbortSignal): Promise<Answer<Preferences>> {
  return call(ofHome, { ...(signal && { signal }) });
}

/** Keeps values in the place of all that was kept for all. */
export function setHomePreferences(values: Preferences["values"]): Promise<Answer<true>> {
  return call(ofHome, { method: "PUT", body: { type: "PREFERENCES", values } });
}
