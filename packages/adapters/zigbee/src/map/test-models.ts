import type { NodeFacts } from "./facts.ts";
import type { EndpointRow } from "./test-node.ts";
import { nodeFacts } from "./test-node.ts";

const battery = { type: "EndDevice", powerSource: "Battery" } as const;
const ikea = "IKEA of Sweden";
const signify = "Signify Netherlands B.V.";
const lamp = [0x0000, 0x0003, 0x0004, 0x0005, 0x0006, 0x0008, 0x0300, 0x1000];
const ota = [0x0019];

/** A lamp's answers to the reads of its colour facts. */
const colors = (colorCapabilities: number, min = 153, max = 500) => ({
  lightingColorCtrl: { colorCapabilities, colorTempPhysicalMin: min, colorTempPhysicalMax: max },
});
const zone = (zoneType: number) => ({ ssIasZone: { zoneType } });

type About = Parameters<typeof nodeFacts>[1];
const row = (
  manufacturer: string,
  model: string,
  endpoints: EndpointRow | readonly EndpointRow[],
  about: About = {},
): NodeFacts => {
  const list = Array.isArray(endpoints) ? (endpoints as readonly EndpointRow[]) : [endpoints as EndpointRow];
  return nodeFacts(list, { manufacturer, model, ...about });
};

/**
 * Real devices as their interviews describe them, with endpoints and clusters as published by their makers.
 */
export const models = {
  whiteLamp: row(ikea, "TRADFRI bulb E27 WS opal 1000lm", {
    device: 0x010c,
    in: lamp,
    out: ota,
    values: colors(0x10, 250, 454),
  }),
  colorLamp: row(ikea, "TRADFRI bulb E27 CWS opal 600lm", {
    device: 0x010d,
    in: lamp,
    out: ota,
    values: colors(0x08),
  }),
  hueLamp: row(signify, "LCA001", [
    { id: 11, device: 0x010d, in: lamp, out: ota, values: colors(0x1f) },
    { id: 242, profile: 0xa1e0, device: 0x0061, in: [], out: [0x0021] },
  ]),
  lightLinkLamp: row("dresden elektronik", "FLS-PP3", {
    id: 10,
    profile: 0xc05e,
    device: 0x0210,
    in: lamp,
    values: colors(0x1f),
  }),
  dimmableLamp: row("OSRAM", "Classic A60 W clear - LIGHTIFY", {
    id: 3,
    device: 0x0101,
    in: [0, 3, 4, 5, 6, 8],
    out: ota,
  }),
  outlet: row(ikea, "TRADFRI control outlet", { device: 0x010a, in: [0, 3, 4, 5, 6, 8], out: ota }),
  meteredPlug: row("innr", "SP 240", {
    device: 0x0051,
    in: [0, 3, 4, 5, 6, 0x0702, 0x0b04],
    out: ota,
    values: {
      seMetering: { multiplier: 1, divisor: 100, unitOfMeasure: 0 },
      haElectricalMeasurement: { acPowerMultiplier: 1, acPowerDivisor: 10 },
      genOnOff: { startUpOnOff: 255 },
    },
  }),
  twoGangs: row("_TZ3000_ji4araar", "TS0002", [
    { id: 1, device: 0x0100, in: [0, 3, 4, 5, 6], out: ota },
    { id: 2, device: 0x0100, in: [4, 5, 6] },
  ]),
  dimmerModule: row("ubisys", "D1 (5503)", [
    { device: 0x0101, in: [0, 3, 4, 5, 6, 8] },
    { id: 2, device: 0x0001, in: [0, 3], out: [5, 6, 8, 0x0102] },
    { id: 4, device: 0x0009, in: [0, 3, 0x0702, 0x0b04] },
  ]),
  aqaraContact: row(
    "LUMI",
    "lumi.sensor_magnet.aq2",
    { device: 0x5f01, in: [0, 3, 0xffff, 6], out: [0, 4] },
    battery,
  ),
  aqaraClimate: row(
    "LUMI",
    "lumi.weather",
    { device: 0x5f01, in: [0, 3, 0xffff, 0x0402, 0x0403, 0x0405], out: [0, 4] },
    battery,
  ),
  aqaraMotion: row(
    "LUMI",
    "lumi.sensor_motion.aq2",
    { device: 0x0107, in: [0, 0xffff, 0x0406, 0x0400, 0x0500, 1, 3], out: [0, 0x0019] },
    battery,
  ),
  aqaraLeak: row(
    "LUMI",
    "lumi.sensor_wleak.aq1",
    { device: 0x0402, in: [0, 3, 1, 0x0500], out: ota, values: zone(0x002a) },
    battery,
  ),
  aqaraButton: row(
    "LUMI",
    "lumi.remote.b1acn01",
    { device: 0x5f01, in: [0, 3, 0x12], out: [0, 0x12] },
    battery,
  ),
  hueMotion: row(
    signify,
    "SML001",
    [
      { id: 1, profile: 0xc05e, device: 0x0850, in: [0], out: [0, 3, 4, 6, 8, 0x0300, 5] },
      { id: 2, device: 0x0107, in: [0, 1, 3, 0x0406, 0x0400, 0x0402], out: ota },
    ],
    battery,
  ),
  hueDimmer: row(
    signify,
    "RWL021",
    [
      { id: 1, profile: 0xc05e, device: 0x0830, in: [0], out: [0, 3, 4, 6, 8, 5] },
      { id: 2, device: 0x000c, in: [0, 1, 3, 0xf, 0xfc00], out: ota },
    ],
    battery,
  ),
  ikeaRemote: row(
    ikea,
    "TRADFRI remote control",
    { device: 0x0820, in: [0, 1, 3, 9, 0x0b05, 0x1000], out: [3, 4, 5, 6, 8, 0x0019, 0x1000] },
    battery,
  ),
  blind: row(
    ikea,
    "FYRTUR block-out roller blind",
    { device: 0x0202, in: [0, 1, 3, 4, 5, 0x20, 0x0102, 0x1000], out: ota },
    battery,
  ),
  curtainModule: row("_TZ3000_vd43bbfq", "TS130F", { device: 0x0202, in: [0, 4, 5, 6, 0x0102], out: ota }),
  radiator: row(
    "Danfoss",
    "eTRV0100",
    {
      device: 0x0301,
      in: [0, 1, 3, 10, 0x20, 0x0201, 0x0204, 0x0b05],
      out: [0, 0x0019],
      values: { hvacThermostat: { ctrlSeqeOfOper: 2, localTemperatureCalibration: -5 } },
    },
    battery,
  ),
  eurotronic: row(
    "Eurotronic",
    "SPZB0001",
    { device: 0x0301, in: [0, 1, 3, 4, 0x0201, 0x0204], out: ota },
    battery,
  ),
  tuyaRadiator: row(
    "_TZE200_ckud7u2l",
    "TS0601",
    { device: 0x0051, in: [0, 4, 5, 0xef00], out: [0x0019, 10] },
    battery,
  ),
  tuyaAir: row("_TZE200_dwcarsat", "TS0601", { device: 0x0051, in: [0, 4, 5, 0xef00], out: [0x0019, 10] }),
  smoke: row(
    "Heiman",
    "SmokeSensor-EM",
    { device: 0x0402, in: [0, 1, 3, 0x0500, 0x0502, 0x0b05], out: ota, values: zone(0x0028) },
    battery,
  ),
  siren: row("HEIMAN", "WarningDevice", { device: 0x0403, in: [0, 1, 3, 0x0500, 0x0502, 4, 5], out: ota }),
  lock: row(
    "Yale",
    "YRD226/246 TSDB",
    { device: 0x000a, in: [0, 1, 3, 9, 10, 0x0101, 0x20], out: [10, 0x0019] },
    battery,
  ),
  purifier: row(ikea, "STARKVIND Air purifier", {
    device: 0x0007,
    in: [0, 3, 4, 5, 0x0202, 0xfc57, 0xfc7d],
    out: [0x0019, 0x0400, 0x042a],
  }),
  airMonitor: row(ikea, "VINDSTYRKA", {
    device: 0x0302,
    in: [0, 3, 4, 0x0402, 0x0405, 0x042a, 0xfc57, 0xfc7c, 0xfc7e],
    out: [3, 0x0019, 0x20],
  }),
  vibration: row(
    "Samjin",
    "multi",
    { device: 0x0402, in: [0, 1, 3, 0x20, 0x0402, 0x0500, 0xfc02], out: [3, 0x0019], values: zone(0x0015) },
    battery,
  ),
} as const satisfies Record<string, NodeFacts>;

export type ModelName = keyof typeof models;
