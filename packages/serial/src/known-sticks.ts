/** The protocol of a stick's radio, by the name of its adapter. */
export type RadioProtocol = "zigbee" | "zwave";

/** The drivers that an adapter can use for a stick, by protocol. */
export const drivers = {
  zigbee: ["zstack", "ember", "deconz", "zboss", "zigate"],
  zwave: ["zwave"],
} as const satisfies Readonly<Record<RadioProtocol, readonly string[]>>;
export type RadioDriver = (typeof drivers)[RadioProtocol][number];

/** A model of stick, and how to recognise it. */
export interface KnownStick {
  /** Names it in system files. */
  readonly id: string;
  readonly name: string;
  /** USB vendor and product, such as `10c4:ea60`. Most are those of a UART chip that other things use too. */
  readonly usb: readonly string[];
  /** No other product has its USB ids, so its name need not match. */
  readonly ownIds?: true;
  /** The manufacturer that the stick reports. Matching ignores case, also in `called`. */
  readonly manufacturer?: string;
  /** Pattern of its name in /dev/serial/by-id; `*` matches anything. */
  readonly called?: string;
  /** Excludes other sticks whose names match `called`. */
  readonly notCalled?: string;
  /** The interface of the radio, on a stick with several ports. */
  readonly interfaceNumber?: number;
  /** Other hardware uses the same name. */
  readonly ambiguous?: true;
  /** Nobody has confirmed the entry: it is listed, but neither proposed nor set up. */
  readonly unconfirmed?: true;
  readonly protocol: RadioProtocol;
  readonly driver: RadioDriver;
  /** Absent: the driver's default. */
  readonly baudRate?: number;
  readonly rtscts?: boolean;
}

const cp210x = ["10c4:ea60"];
const zstack = { protocol: "zigbee", driver: "zstack" } as const;
const ember = { protocol: "zigbee", driver: "ember" } as const;
const deconz = { protocol: "zigbee", driver: "deconz" } as const;
const zboss = { protocol: "zigbee", driver: "zboss" } as const;
const zigate = { protocol: "zigbee", driver: "zigate" } as const;
const zwave = { protocol: "zwave", driver: "zwave" } as const;

const nabuCasa = { usb: cp210x, manufacturer: "Nabu Casa", ...ember, rtscts: true } as const;
const itead = { manufacturer: "ITEAD" } as const;
const sonoff = { usb: cp210x, manufacturer: "SONOFF" } as const;
const smlight = { usb: cp210x, manufacturer: "SMLIGHT" } as const;
const texas = { manufacturer: "Texas Instruments", ...zstack } as const;
const dresden = { manufacturer: "dresden elektronik ingenieurtechnik GmbH", ...deconz } as const;

/**
 * Every stick that the hub knows; recognition, udev's rules and docs/radios.md follow this table. Zigbee:
 * from the discovery table of zigbee-herdsman 10.9.5, with stricter patterns where other products could
 * match. Z-Wave: from the manifest of Home Assistant's integration.
 */
export const knownSticks: readonly KnownStick[] = [
  { id: "conbee-2", name: "ConBee II", usb: ["1cf1:0030"], ownIds: true, called: "*conbee*", ...dresden },
  { id: "conbee-3", name: "ConBee III", usb: ["0403:6015"], called: "*conbee_iii*", ...dresden },
  { id: "skyconnect", name: "Home Assistant SkyConnect", called: "*nabu_casa_skyconnect*", ...nabuCasa },
  { id: "zbt-1", name: "Home Assistant Connect ZBT-1", called: "*nabu_casa*_zbt-1*", ...nabuCasa },
  {
    id: "zbt-2",
    name: "Home Assistant Connect ZBT-2",
    ...nabuCasa,
    usb: ["303a:4001", "303a:831a"],
    called: "*nabu_casa_zbt-2*",
    baudRate: 460_800,
  },
  {
    id: "zbdongle-e",
    name: "Sonoff ZBDongle-E",
    usb: ["1a86:55d4"],
    called: "*sonoff*plus*",
    ...itead,
    ...ember,
    rtscts: false,
  },
  {
    id: "zbdongle-e-cp",
    name: "Sonoff ZBDongle-E (CP2102)",
    usb: cp210x,
    called: "*sonoff*plus_v2_*",
    ...itead,
    ...ember,
    rtscts: false,
  },
  {
    id: "zbdongle-p",
    name: "Sonoff ZBDongle-P",
    usb: cp210x,
    called: "*sonoff_zigbee*dongle_plus*",
    notCalled: "*plus_v2_*",
    ...itead,
    ...zstack,
  },
  {
    id: "dongle-max",
    name: "Sonoff Dongle Max",
    called: "*sonoff_dongle_max*",
    ...sonoff,
    ...ember,
    rtscts: false,
  },
  {
    id: "dongle-plus-mg24",
    name: "Sonoff Dongle Plus MG24",
    called: "*sonoff_dongle_plus_mg24*",
    ...sonoff,
    ...ember,
    rtscts: false,
  },
  {
    id: "dongle-lite-mg21",
    name: "Sonoff Dongle Lite MG21",
    called: "*sonoff_dongle_lite_mg21*",
    ...sonoff,
    ...ember,
    rtscts: false,
  },
  {
    id: "dongle-plus-cc2674p10",
    name: "Sonoff Dongle Plus CC2674P10",
    called: "*sonoff_dongle_plus_cc2674p10*",
    ...sonoff,
    ...zstack,
  },
  { id: "slzb-06m", name: "SMLIGHT SLZB-06M", called: "*slzb-06m*", ...smlight, ...ember, rtscts: false },
  { id: "slzb-07", name: "SMLIGHT SLZB-07", called: "*slzb-07_*", ...smlight, ...ember, rtscts: true },
  {
    id: "slzb-07mg24",
    name: "SMLIGHT SLZB-07MG24",
    called: "*slzb-07mg24*",
    ...smlight,
    ...ember,
    rtscts: true,
  },
  { id: "slzb-07p7", name: "SMLIGHT SLZB-07P7", called: "*slzb-07p7*", ...smlight, ...zstack },
  { id: "slzb-06p7", name: "SMLIGHT SLZB-06P7", called: "*slzb-06p7*", ...smlight, ...zstack },
  { id: "slzb-06p10", name: "SMLIGHT SLZB-06P10", called: "*slzb-06p10*", ...smlight, ...zstack },
  {
    id: "zzh",
    name: "Electrolama zzh",
    usb: ["0403:6015"],
    manufacturer: "Electrolama",
    called: "*electrolama*",
    ...zstack,
  },
  {
    id: "slaesh-cc2652rb",
    name: "slae.sh CC2652RB",
    usb: cp210x,
    manufacturer: "Silicon Labs",
    called: "*slae.sh_cc2652rb*",
    ...zstack,
  },
  { id: "cc2538", name: "Texas Instruments CC2538", usb: ["0451:16c8"], called: "*cc2538*", ...texas },
  { id: "cc2531", name: "Texas Instruments CC2531", usb: ["0451:16a8"], called: "*cc2531*", ...texas },
  {
    id: "ti-launchpad",
    name: "Texas Instruments LaunchPad",
    usb: ["0451:bef3"],
    called: "*texas_instruments*",
    interfaceNumber: 0,
    ambiguous: true,
    ...texas,
  },
  { id: "tubeszb", name: "TubesZB", usb: ["10c4:ea60", "1a86:7523"], called: "*tubeszb*", ...zstack },
  { id: "zigstar", name: "ZigStar", usb: ["1a86:7523"], called: "*zigstar*", ...zstack },
  {
    id: "zigate-blue",
    name: "ZiGate (PL2303)",
    usb: ["067b:2303"],
    manufacturer: "zigate_PL2303",
    called: "*zigate*",
    ...zigate,
  },
  {
    id: "zigate-red",
    name: "ZiGate (CP2102)",
    usb: cp210x,
    manufacturer: "zigate_cp2102",
    called: "*zigate*",
    ...zigate,
  },
  { id: "zigate-2", name: "ZiGate+ V2", usb: ["0403:6015"], called: "*zigate*", ...zigate },
  {
    id: "nordic-ncp",
    name: "Nordic nRF52840 with Zigbee NCP",
    usb: ["2fe3:0100"],
    manufacturer: "ZEPHYR",
    called: "*zephyr_zigbee_ncp*",
    ...zboss,
  },
  {
    id: "zwa-2",
    name: "Home Assistant Connect ZWA-2",
    usb: ["303a:4001"],
    manufacturer: "Nabu Casa",
    called: "*nabu_casa_zwa-2*",
    ...zwave,
  },
  { id: "zwave-500", name: "Z-Wave stick of the 500 series", usb: ["0658:0200"], ownIds: true, ...zwave },
  // The firmware of the Zigbee radio at its other port is too old for the ember driver.
  { id: "husbzb-1", name: "Nortek HUSBZB-1", usb: ["10c4:8a2a"], ownIds: true, interfaceNumber: 0, ...zwave },
  {
    id: "zwave-700",
    name: "Z-Wave stick of the 700 series",
    usb: cp210x,
    called: "silicon_labs_cp210*",
    unconfirmed: true,
    ...zwave,
  },
];
