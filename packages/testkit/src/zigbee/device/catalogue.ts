import type { Ieee } from "../air.ts";
import type { Product } from "./clusters/basic.ts";
import { signify } from "./clusters/hue-button.ts";
import { AlarmSensor } from "./devices/alarm-sensor.ts";
import { aqara, AqaraWeather } from "./devices/aqara-weather.ts";
import { CeilingFan } from "./devices/ceiling-fan.ts";
import { ClimateSensor } from "./devices/climate-sensor.ts";
import { Cover } from "./devices/cover.ts";
import { DoorLock } from "./devices/door-lock.ts";
import { BatteryMeter } from "./devices/battery-meter.ts";
import { EnergyMeter } from "./devices/energy-meter.ts";
import { PhaseMeter } from "./devices/phase-meter.ts";
import { Heating } from "./devices/heating.ts";
import { HueDimmer } from "./devices/hue-dimmer.ts";
import { Lamp } from "./devices/lamp.ts";
import { Remote } from "./devices/remote.ts";
import { ikeaDimmer, ikeaRemote, plainRemote, tuyaRemote, tuyaRemoteParts } from "./devices/remotes.ts";
import { Siren } from "./devices/siren.ts";
import { Socket } from "./devices/socket.ts";
import { TuyaDevice, tuyaClimate, tuyaCover, tuyaValve } from "./devices/tuya-device.ts";
import { TwinMeter } from "./devices/twin-meter.ts";
import { WaterValve } from "./devices/water-valve.ts";
import { WallSwitch } from "./devices/wall-switch.ts";
import type { Identity } from "./identity.ts";
import { deviceIds } from "./identity.ts";

type Made<Device> = (ieee: Ieee, change?: Partial<Product>) => Device;

/** Creates devices of one model. A test can change their description. */
function model<Device>(
  [manufacturer, name]: readonly [manufacturer: string, model: string],
  manufacturerCode: number,
  make: (identity: Identity) => Device,
): Made<Device> {
  return (ieee, change = {}) =>
    make({ ieee, manufacturerCode, product: { manufacturer, model: name, ...change } });
}

const [ikea, heiman, tuya, innr, nobody] = [0x117c, 0x1271, 0x1141, 0x1166, 0x1037];

const fullColor = { features: ["hs", "xy", "ct"], minMireds: 153, maxMireds: 500 } as const;
const whites = { features: ["ct"], minMireds: 250, maxMireds: 454 } as const;
const weather = { temperature: 21, humidity: 45, pressure: 1013 } as const;
const motionAndLight = { illuminance: 100, temperature: 21 } as const;

/** Devices that are ready to join, by kind. The maker "Nobody" stands for models that no table knows. */
export const devices = {
  lamp: model(["Philips", "LWB010"], signify, (it) => new Lamp(it, { endpoint: 11 })),
  whiteLamp: model(
    ["IKEA of Sweden", "TRADFRI bulb E27 WS opal 980lm"],
    ikea,
    (it) => new Lamp(it, { color: whites }),
  ),
  colorLamp: model(["Philips", "LCT015"], signify, (it) => new Lamp(it, { color: fullColor, endpoint: 11 })),
  unknownLamp: model(["Nobody", "GenericLamp1"], nobody, (it) => new Lamp(it)),
  unknownColorLamp: model(["Nobody", "GenericColor1"], nobody, (it) => new Lamp(it, { color: fullColor })),
  socket: model(["innr", "SP 120"], innr, (it) => new Socket(it)),
  unknownSocket: model(["Nobody", "GenericSocket1"], nobody, (it) => new Socket(it)),
  /** Three phases and solar panels. */
  unknownMeter: model(["Nobody", "HomeMeter1"], nobody, (it) => new EnergyMeter(it)),
  /** Three phases, each on an endpoint of its own. */
  unknownPhaseMeter: model(["Nobody", "PhaseMeter1"], nobody, (it) => new PhaseMeter(it)),
  unknownTwinMeter: model(["Nobody", "TwinMeter1"], nobody, (it) => new TwinMeter(it)),
  /** Direct current. */
  unknownBatteryMeter: model(["Nobody", "BatteryMeter1"], nobody, (it) => new BatteryMeter(it)),
  wallSwitch: model(
    ["_TZ3000_jl7qyupf", "TS0012"],
    tuya,
    (it) => new WallSwitch(it, { reportsUnasked: true }),
  ),
  unknownWallSwitch: model(["Nobody", "GenericSwitch2"], nobody, (it) => new WallSwitch(it)),

  multiSensor: model(
    ["Nobody", "ClimateSensor1"],
    nobody,
    (it) => new ClimateSensor(it, { measures: weather }),
  ),
  occupancy: model(
    ["Nobody", "OccupancySensor1"],
    nobody,
    (it) => new ClimateSensor(it, { measures: {}, hasOccupancy: true, device: deviceIds.occupancySensor }),
  ),
  /** Hue motion sensor: its sensors are on endpoint 2. */
  motionWithLux: model(
    ["Philips", "SML001"],
    signify,
    (it) => new ClimateSensor(it, { measures: motionAndLight, hasOccupancy: true, endpoint: 2 }),
  ),
  aqaraWeather: model(["LUMI", "lumi.weather"], aqara, (it) => new AqaraWeather(it)),
  tuyaClimate: model(
    ["_TZE200_bjawzodf", "TS0601"],
    tuya,
    (it) => new TuyaDevice(it, tuyaClimate.names, tuyaClimate.datapoints),
  ),

  motion: model(["HEIMAN", "PIRSensor-N"], heiman, (it) => new AlarmSensor(it, { zone: "motion" })),
  contact: model(["HEIMAN", "DoorSensor-N"], heiman, (it) => new AlarmSensor(it, { zone: "contact" })),
  leak: model(["HEIMAN", "WaterSensor-N"], heiman, (it) => new AlarmSensor(it, { zone: "water" })),
  smoke: model(["HEIMAN", "SMOK_V16"], heiman, (it) => new AlarmSensor(it, { zone: "fire" })),
  carbonMonoxide: model(
    ["HEIMAN", "COSensor-EM"],
    heiman,
    (it) => new AlarmSensor(it, { zone: "carbonMonoxide" }),
  ),
  vibration: model(["Nobody", "Vibration1"], nobody, (it) => new AlarmSensor(it, { zone: "vibration" })),
  /** Does not ask to be enrolled; it waits for the coordinator. */
  unknownContact: model(
    ["Nobody", "GenericContact1"],
    nobody,
    (it) => new AlarmSensor(it, { zone: "contact", asks: false }),
  ),
  /** Takes new firmware of image type 0x0205. */
  upgradableContact: model(
    ["Nobody", "UpgradableContact1"],
    nobody,
    (it) => new AlarmSensor(it, { zone: "contact", imageType: 0x0205 }),
  ),
  siren: model(["HEIMAN", "WarningDevice"], heiman, (it) => new Siren(it)),

  thermostat: model(["Zen Within", "Zen-01"], 0x1158, (it) => new Heating(it, { isValve: false })),
  radiatorValve: model(["Nobody", "RadiatorValve1"], nobody, (it) => new Heating(it, { isValve: true })),
  /** Keeps a weekly schedule. */
  unknownThermostat: model(
    ["Nobody", "WallThermostat1"],
    nobody,
    (it) => new Heating(it, { isValve: false, hasSchedule: true }),
  ),
  tuyaValve: model(
    ["_TZE200_b6wax7g0", "TS0601"],
    tuya,
    (it) => new TuyaDevice(it, tuyaValve.names, tuyaValve.datapoints),
  ),
  cover: model(
    ["IKEA of Sweden", "FYRTUR block-out roller blind"],
    ikea,
    (it) => new Cover(it, { kind: "roller", hasBattery: true }),
  ),
  tiltBlind: model(["Nobody", "TiltBlind1"], nobody, (it) => new Cover(it, { kind: "tiltBlind" })),
  tuyaCover: model(
    ["_TZE200_ba69l9ol", "TS0601"],
    tuya,
    (it) => new TuyaDevice(it, tuyaCover.names, tuyaCover.datapoints),
  ),
  lock: model(["Yale", "YRD226 TSDB"], 0x101d, (it) => new DoorLock(it)),
  /** Moves only with its PIN. */
  pinLock: model(["Nobody", "PinLock1"], nobody, (it) => new DoorLock(it, "1234")),
  unknownLock: model(["Nobody", "GenericLock1"], nobody, (it) => new DoorLock(it)),
  waterValve: model(["Nobody", "WaterValve1"], nobody, (it) => new WaterValve(it)),
  fan: model(["King Of Fans,  Inc.", "HDC52EastwindFan"], 0x1020, (it) => new CeilingFan(it)),

  remote: model(
    ["IKEA of Sweden", "TRADFRI remote control"],
    ikea,
    (it) => new Remote(it, ikeaRemote, { device: deviceIds.sceneController }),
  ),
  dimmer: model(["IKEA of Sweden", "TRADFRI wireless dimmer"], ikea, (it) => new Remote(it, ikeaDimmer)),
  hueDimmer: model(["Philips", "RWL021"], signify, (it) => new HueDimmer(it)),
  tuyaRemote: model(
    ["_TZ3000_xabckq1v", "TS004F"],
    tuya,
    (it) => new Remote(it, tuyaRemote, tuyaRemoteParts()),
  ),
  unknownRemote: model(["Nobody", "GenericRemote1"], nobody, (it) => new Remote(it, plainRemote)),
};
