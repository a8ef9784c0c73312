import type { AdapterRequest, NativeId, RequestTable } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import { yardCamera, type HomeCamera } from "./camera.ts";
import { queueLength } from "./behaviour/media.ts";

/** The devices with queries of their own. */
const speaker = "living/speaker";
const heatPumpUnit = "kitchen/heat-pump";

/** Options of `queries`. */
export interface QueriesOptions {
  /** @throws AdapterError `refused`, `unreachable` */
  readonly assertThere: (native: NativeId) => void;
  readonly camera: () => HomeCamera;
}

const minuteMs = 60_000;
const titles = ["Morning", "Noon", "Evening"].slice(0, queueLength);
const track = (title: string) => ({
  title,
  artist: "The Simulated",
  album: "One Day",
  durationMs: 3 * minuteMs,
});

/** The content of a media server: a folder with tracks. */
const directory: Readonly<Record<string, readonly object[]>> = {
  "0": [
    {
      type: "MR_CD_ITEM",
      objectId: "music",
      title: "Music",
      isContainer: true,
      artist: null,
      album: null,
      durationMs: null,
    },
  ],
  music: titles.map((title, index) => ({
    type: "MR_CD_ITEM",
    objectId: `music/${index + 1}`,
    isContainer: false,
    ...track(title),
  })),
};

/** Answers queries to the home's media player, heat pump and camera. */
export function queries({ assertThere, camera }: QueriesOptions): RequestTable {
  const only = (native: NativeId, { native: asked }: AdapterRequest): void => {
    if (asked !== native)
      throw new AdapterError("unsupported", `${String(asked)} does not support this request`);
    assertThere(native);
  };
  return {
    GET_CD: async (request) => {
      only(speaker, request);
      const {
        objectId = "0",
        start = 0,
        count = 100,
      } = request as { objectId?: string; start?: number; count?: number };
      const items = Object.hasOwn(directory, objectId) ? directory[objectId] : undefined;
      if (items === undefined) throw new AdapterError("refused", `objectId: there is no ${objectId}`);
      return { type: "MR_CD", objectId, total: items.length, items: items.slice(start, start + count) };
    },
    GET_QUEUE: async (request) => {
      only(speaker, request);
      const tracks = titles.map((title, index) => ({ type: "MR_TRACK", number: index + 1, ...track(title) }));
      return { type: "MR_QUEUE", currentTrack: 1, tracks };
    },
    GET_AIRCON_PUMPS: async (request) => {
      only(heatPumpUnit, request);
      return ["Circulation", "Brine"].map((name, index) => ({
        type: "AIRCON_PUMP",
        id: String(index + 1),
        name,
        isOn: index === 0,
        error: null,
      }));
    },
    SEARCH: async () => [{ type: "CAMERA_HOST", ...camera().host }],
    CAMERA_AT_IP: async ({ ip, username, password }) => camera().at(String(ip), username, password),
    USE_CREDENTIALS: async (request) => {
      only(yardCamera, request);
      return await camera().use(request);
    },
    CHANGE_CREDENTIALS: async (request) => {
      only(yardCamera, request);
      return await camera().change(request);
    },
    SCAN_WIFIS: async (request) => {
      only(yardCamera, request);
      return camera().wifis();
    },
    SET_WIFI: async (request) => {
      only(yardCamera, request);
      return await camera().join(request);
    },
  };
}
