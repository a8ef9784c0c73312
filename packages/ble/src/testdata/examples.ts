/** An advertisement with what it means, from public pages and from recordings of real sensors. */
export interface Example {
  readonly name: string;
  readonly address: string;
  readonly uuid?: number;
  readonly company?: number;
  /** Service data behind its UUID, or manufacturer data behind its company id. */
  readonly hex: string;
  readonly key?: string;
  readonly model: string | null;
  readonly packet?: number;
  readonly values: Readonly<Record<string, number | boolean | string>>;
  /** As `source index event`. */
  readonly events?: readonly string[];
}

const mibeacon = 0xfe95;
const bthome = 0xfcd2;
const ruuvi = 0x0499;

/** The pages of BTHome and Ruuvi give theirs; MiBeacon's are recordings that several open decoders test with. */
export const examples: readonly Example[] = [
  {
    name: "BTHome: temperature and humidity of the page on the format",
    address: "5448E68F80A5",
    uuid: bthome,
    hex: "4002ca0903bf13",
    model: null,
    values: { temperature: 25.06, humidity: 50.55 },
  },
  {
    name: "BTHome: the page on encryption",
    address: "5448E68F80A5",
    uuid: bthome,
    hex: "41a47266c95f730011223378237214",
    key: "231d39c1d7cc1ab1aee224cd096db932",
    model: null,
    values: { temperature: 25.06, humidity: 50.55 },
  },
  {
    name: "BTHome: two temperatures, a packet id and a battery",
    address: "112233445566",
    uuid: bthome,
    hex: "400009015d4511014516010c020c",
    model: null,
    packet: 9,
    values: { battery: 93, temperature: 27.3, "temperature 2": 27.8, voltage: 3.074 },
  },
  {
    name: "BTHome: second of three buttons pressed, knob turned left by three",
    address: "112233445566",
    uuid: bthome,
    hex: "443a003a013a003c0103",
    model: null,
    values: {},
    events: ["button 2 press", "dimmer 1 rotate_left"],
  },
  {
    name: "BTHome: pressure, light, contact, motion, text, a negative temperature and firmware",
    address: "112233445566",
    uuid: bthome,
    hex: "4002a8f604138a0105138a142d01210153026869f101000204",
    model: null,
    values: {
      temperature: -23.92,
      pressure: 100_883,
      illuminance: 13_460.67,
      window: true,
      motion: true,
      text: "hi",
    },
  },
  {
    name: "Ruuvi RAWv2: valid data",
    address: "CBB8334C884F",
    company: ruuvi,
    hex: "0512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F",
    model: "RuuviTag",
    packet: 205,
    values: {
      temperature: 24.3,
      humidity: 53.49,
      pressure: 100_044,
      acceleration_x: 0.004,
      acceleration_y: -0.004,
      acceleration_z: 1.036,
      battery_voltage: 2.977,
      tx_power: 4,
      movement_counter: 66,
    },
  },
  {
    name: "Ruuvi RAWv2: largest values",
    address: "CBB8334C884F",
    company: ruuvi,
    hex: "057FFFFFFEFFFE7FFF7FFF7FFFFFDEFEFFFECBB8334C884F",
    model: "RuuviTag",
    packet: 65_534,
    values: {
      temperature: 163.835,
      humidity: 163.835,
      pressure: 115_534,
      acceleration_x: 32.767,
      acceleration_y: 32.767,
      acceleration_z: 32.767,
      battery_voltage: 3.646,
      tx_power: 20,
      movement_counter: 254,
    },
  },
  {
    name: "Ruuvi RAWv2: smallest values",
    address: "CBB8334C884F",
    company: ruuvi,
    hex: "058001000000008001800180010000000000CBB8334C884F",
    model: "RuuviTag",
    packet: 0,
    values: {
      temperature: -163.835,
      humidity: 0,
      pressure: 50_000,
      acceleration_x: -32.767,
      acceleration_y: -32.767,
      acceleration_z: -32.767,
      battery_voltage: 1.6,
      tx_power: -40,
      movement_counter: 0,
    },
  },
  {
    name: "Ruuvi RAWv2: invalid values",
    address: "FFFFFFFFFFFF",
    company: ruuvi,
    hex: "058000FFFFFFFF800080008000FFFFFFFFFFFFFFFFFFFFFF",
    model: "RuuviTag",
    values: {},
  },
  {
    name: "MiBeacon 2: LYWSDCGQ",
    address: "582D34359321",
    uuid: mibeacon,
    hex: "5020aa01da219335342d580d1004fe004802",
    model: "LYWSDCGQ",
    packet: 218,
    values: { temperature: 25.4, humidity: 58.4 },
  },
  {
    name: "MiBeacon 3: LYWSD03MMC, not encrypted",
    address: "A4C138B4944C",
    uuid: mibeacon,
    hex: "50305b05034c94b438c1a40d10041001ea01",
    model: "LYWSD03MMC",
    packet: 3,
    values: { temperature: 27.2, humidity: 49 },
  },
  {
    name: "MiBeacon 2: HHCCJCY01, with a capability",
    address: "C47C8D6B4FF3",
    uuid: mibeacon,
    hex: "7120980012f34f6b8d7cc40d041002c400",
    model: "HHCCJCY01",
    packet: 18,
    values: { temperature: 19.6 },
  },
  {
    name: "MiBeacon 3: MUE4094RT, without an address",
    address: "DE70E8B2390C",
    uuid: mibeacon,
    hex: "4030dd032403000101",
    model: "MUE4094RT",
    packet: 36,
    values: { motion: true },
  },
  {
    name: "MiBeacon 3: XMMF01JQD, a button of the cube",
    address: "E25330E6D354",
    uuid: mibeacon,
    hex: "5030e1048e54d3e63053e2011003010000",
    model: "XMMF01JQD",
    packet: 142,
    values: {},
    events: ["button 2 press"],
  },
  {
    name: "MiBeacon 5: LYWSD03MMC, encrypted",
    address: "A4C1380283F4",
    uuid: mibeacon,
    hex: "58585b0550f4830238c1a495ef58763c26000097e2abb5",
    key: "e9ea895fac7cca6d30532432a516f3a8",
    model: "LYWSD03MMC",
    packet: 80,
    values: { humidity: 46.7 },
  },
  {
    name: "MiBeacon 5: CGG1, encrypted",
    address: "5A582D34125F",
    uuid: mibeacon,
    hex: "5858480b685f12342d585a0b1841e2aa000e00a4964fb5",
    key: "814aac74c4f17b6c1581e1ab87816b99",
    model: "CGG1",
    packet: 104,
    values: { humidity: 59.6 },
  },
  {
    name: "MiBeacon 5: CGDK2, encrypted",
    address: "582D34122089",
    uuid: mibeacon,
    hex: "58586f0607892012342d585f176dd54f0200002fa453fa",
    key: "a3bfe9853dd85a620debe3620caaa351",
    model: "CGDK2",
    packet: 7,
    values: { temperature: 22.6 },
  },
  {
    name: "MiBeacon 5: SJWS01LM, encrypted",
    address: "54EF44E027BC",
    uuid: mibeacon,
    hex: "5859630808bc27e044ef54f58fe704000000fc69d15c",
    key: "255e6cabb39b2eddd0de992b9fee2bf2",
    model: "SJWS01LM",
    packet: 8,
    values: { moisture_detected: true },
  },
  {
    name: "MiBeacon 5: JTYJGD03MI, encrypted",
    address: "54EF44E39CBC",
    uuid: mibeacon,
    hex: "5859970966bc9ce344ef5401081205000000715ebe90",
    key: "5b51a7c91cde6707c9ef18dfda143a58",
    model: "JTYJGD03MI",
    packet: 102,
    values: { smoke: true },
  },
];
