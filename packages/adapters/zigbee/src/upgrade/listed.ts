import { isRecord } from "@ledge/exposes";
import type { ImageHead, Running } from "./image.ts";

/**
 * An entry of `index.json`, as in the index of the community (Koenkk/zigbee-OTA). Only `fileName` or `url` is
 * required. Nothing is downloaded: a URL only says where in the folder a file is.
 */
export interface Listed {
  /** The path of the file in the folder. */
  readonly fileName?: unknown;
  /** A path in the folder, or a URL whose path ends with one. */
  readonly url?: unknown;
  /** Hex, of the whole file. */
  readonly sha512?: unknown;
  readonly fileSize?: unknown;
  /** Whether it is installed over any other version. */
  readonly force?: unknown;
  /** What the head of the file must say. */
  readonly fileVersion?: unknown;
  readonly imageType?: unknown;
  readonly manufacturerCode?: unknown;
  /** The devices that it is for. */
  readonly modelId?: unknown;
  readonly manufacturerName?: unknown;
  readonly minFileVersion?: unknown;
  readonly maxFileVersion?: unknown;
  readonly hardwareVersionMin?: unknown;
  readonly hardwareVersionMax?: unknown;
}

/** The manufacturer and model of a device. */
export interface Model {
  readonly manufacturer: string | null;
  readonly model: string | null;
}

/**
 * Returns the entries of an index.
 * @throws Error that says what is wrong with it
 */
export function listedIn(text: string): readonly Listed[] {
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list)) throw new Error("it is not a list");
  return list.filter((entry) => isRecord(entry));
}

const isWeb = /^https?:\/\//i;

/**
 * Returns where in the folder the file of an entry may be, the surest place first. A clone of the community's
 * repository has the folders of its URLs, a folder of single downloads has none of them.
 */
export function placesOf({ fileName, url }: Listed): readonly string[] {
  const path = typeof url === "string" ? pathIn(url) : undefined;
  const parts = path?.split("/") ?? [];
  const ends = parts.map((_, from) => parts.slice(from).join("/"));
  // The path of a URL begins at the root of its server, so any end of it may be in the folder.
  const byUrl = typeof url === "string" && isWeb.test(url) ? ends : ends.slice(0, 1);
  const byName = typeof fileName === "string" ? [pathIn(fileName)] : [];
  return [...byUrl, ...byName].filter((place) => place !== undefined);
}

/** Whether an entry names a file outside of the folder. */
export function leavesFolder({ fileName, url }: Listed): boolean {
  return [fileName, url].some((path) => typeof path === "string" && pathIn(path) === undefined);
}

/** Returns a path in the folder without its `.` parts; undefined for one that leaves the folder. */
function pathIn(written: string): string | undefined {
  const isUrl = isWeb.test(written);
  const path = isUrl ? decoded(written.replace(isWeb, "").split(/[?#]/, 1)[0] ?? "") : written;
  const parts = path.split(/[/\\]/);
  // The server of a URL.
  if (isUrl) parts.shift();
  const isAbsolute = !isUrl && (parts[0] === "" || /^[a-z][a-z0-9+.-]*:/i.test(path));
  if (isAbsolute || parts.includes("..")) return undefined;
  return parts.filter((part) => part !== "" && part !== ".").join("/");
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

export function isForModel({ modelId, manufacturerName }: Listed, { manufacturer, model }: Model): boolean {
  if (typeof modelId === "string" && modelId !== model) return false;
  return !Array.isArray(manufacturerName) || manufacturerName.includes(manufacturer);
}

/** Returns a field in which an entry differs from the head of its file. */
export function contradictionOf(listed: Listed, head: ImageHead): string | undefined {
  const fields = ["fileVersion", "imageType", "manufacturerCode"] as const;
  return fields.find((field) => listed[field] !== undefined && listed[field] !== head[field]);
}

/** Whether a device runs one of the versions, on one of the boards, that an entry names. */
export function isForVersion(listed: Listed, { fileVersion, hardwareVersion }: Running): boolean {
  const { minFileVersion, maxFileVersion, hardwareVersionMin, hardwareVersionMax } = listed;
  return (
    isWithin(fileVersion, minFileVersion, maxFileVersion) &&
    (hardwareVersion === undefined || isWithin(hardwareVersion, hardwareVersionMin, hardwareVersionMax))
  );
}

function isWithin(value: number, least: unknown, most: unknown): boolean {
  return !(typeof least === "number" && value < least) && !(typeof most === "number" && value > most);
}
