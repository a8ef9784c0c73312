import type { Capability, ConfigurationItem, ConfigurationValues } from "@ledge/model";
import { type DeviceConfiguration, type DeviceDescription, type NativeId, plainItem } from "@ledge/port";
import type { Known, Stream } from "./look.ts";
import type { Position } from "./messages.ts";

export type CredentialStatus = "OK" | "INSUFFICIENT" | "ERROR";

/** What is shown of a camera beside what it is. */
export interface Shown {
  readonly name: string;
  readonly username: string | null;
  readonly credentialStatus: CredentialStatus;
}

/** Returns a camera as a device. Its streams carry their addresses: a client opens them itself. */
export function descriptionOf(
  native: NativeId,
  known: Known,
  { name, username, credentialStatus }: Shown,
): DeviceDescription {
  const { manufacturer, model, streams, seesMotion, moves } = known;
  const capabilities: Capability[] = ["DEVICE", "LIVE_FEED", "ONVIF_API"];
  if (seesMotion) capabilities.push("MOTION");
  if (moves !== null) capabilities.push("CONFIGURABLE");
  const medias = streams.map(mediaOf);
  const extras = { cameraId: known.identity, credentialStatus, medias, username };
  const shown = { native, radio: native, class: "CAMERA", name, manufacturer, model, capabilities } as const;
  return { ...shown, extras, ...(moves !== null && { configuration: configurationOf(known) }) };
}

/** MEDIA_PROFILE (wire-facts 1.3), with the addresses of the stream and of its picture. */
function mediaOf({ token, name, width, height, bitrate, framerate, uri, snapshotUri }: Stream): object {
  return {
    type: "MEDIA_PROFILE",
    token,
    name,
    width,
    height,
    bitrate: bitrate === undefined ? null : String(bitrate),
    framerate: framerate === undefined ? null : String(framerate),
    streamUri: uri,
    snapshotUri,
  };
}

/** Names of the settings. */
export const settingNames = {
  preset: "ptz.preset",
  pan: "ptz.pan",
  tilt: "ptz.tilt",
  zoom: "ptz.zoom",
} as const;

const labels = {
  preset: { en: "Go to", fi: "Siirry kohtaan", sv: "Gå till", de: "Fahre zu" },
  pan: { en: "Pan", fi: "Vaakasuunta", sv: "Panorering", de: "Schwenken" },
  tilt: { en: "Tilt", fi: "Pystysuunta", sv: "Lutning", de: "Neigen" },
  zoom: { en: "Zoom", fi: "Zoomaus", sv: "Zoom", de: "Zoom" },
} as const;

/** Returns where a camera looks, as settings. */
function configurationOf({ presets, position }: Known): DeviceConfiguration {
  const items: ConfigurationItem[] = [];
  if (presets.length > 0) {
    const names = presets.map(({ name }) => name);
    const isTwice = (name: string): boolean => names.indexOf(name) !== names.lastIndexOf(name);
    items.push({
      ...plainItem,
      name: settingNames.preset,
      fieldType: "OPTION",
      label: labels.preset,
      options: presets.map(({ token, name }) => ({
        value: token,
        label: { en: isTwice(name) ? `${name} (${token})` : name },
      })),
    });
  }
  const number = (key: "pan" | "tilt" | "zoom", minValue: number): ConfigurationItem => ({
    ...plainItem,
    name: settingNames[key],
    fieldType: "NUMBER",
    label: labels[key],
    minValue,
    maxValue: 1,
  });
  if (position?.pan !== undefined) items.push(number("pan", -1), number("tilt", -1));
  if (position?.zoom !== undefined) items.push(number("zoom", 0));
  return { items, values: position === null ? {} : valuesOf(position) };
}

function valuesOf({ pan, tilt, zoom }: Position): ConfigurationValues {
  const values = { [settingNames.pan]: pan, [settingNames.tilt]: tilt, [settingNames.zoom]: zoom };
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
