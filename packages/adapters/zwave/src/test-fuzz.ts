import { attribute } from "@ledge/model";
import type { AdapterError } from "@ledge/port";
import type { Random } from "@ledge/testkit";
import { plans, rawCommand } from "@ledge/testkit/zwave";
import { Compile, type Validator } from "typebox/compile";
import { type Rig, startRig } from "./test-rig.ts";

/** A report of a device: its command class, its command, and a payload that says something. */
interface Template {
  readonly name: string;
  readonly ccId: number;
  readonly ccCommand: number;
  readonly payload: readonly number[];
}

const templates: readonly Template[] = [
  { name: "temperature", ccId: 0x31, ccCommand: 0x05, payload: [0x01, 0x22, 0x00, 0xd7] },
  { name: "humidity", ccId: 0x31, ccCommand: 0x05, payload: [0x05, 0x01, 0x32] },
  { name: "basic", ccId: 0x20, ccCommand: 0x03, payload: [0xff, 0xff, 0x00] },
  { name: "switch", ccId: 0x25, ccCommand: 0x03, payload: [0xff, 0xff, 0x00] },
  { name: "level", ccId: 0x26, ccCommand: 0x03, payload: [0x32, 0x32, 0x00] },
  { name: "meter", ccId: 0x32, ccCommand: 0x02, payload: [0x21, 0x44, 0, 0, 0, 0x64, 0, 0] },
  { name: "mode", ccId: 0x40, ccCommand: 0x03, payload: [0x01] },
  { name: "setpoint", ccId: 0x43, ccCommand: 0x03, payload: [0x01, 0x22, 0x00, 0xd2] },
  { name: "press", ccId: 0x5b, ccCommand: 0x03, payload: [0x01, 0x80, 0x01] },
  { name: "parameter", ccId: 0x70, ccCommand: 0x06, payload: [0x04, 0x01, 0x0a] },
  { name: "notification", ccId: 0x71, ccCommand: 0x05, payload: [0, 0, 0, 0xff, 0x07, 0x08, 0x00, 0x00] },
  { name: "battery", ccId: 0x80, ccCommand: 0x03, payload: [0x50] },
  { name: "wake-up interval", ccId: 0x84, ccCommand: 0x06, payload: [0x00, 0x0e, 0x10, 0x01] },
  { name: "association", ccId: 0x85, ccCommand: 0x03, payload: [0x02, 0x05, 0x00, 0x01] },
];

/** How a report is wrapped, as a command class, its command, and the bytes before the report (SDS13783, SDS13782). */
const wrappers: readonly (Omit<Template, "name" | "payload"> & {
  readonly before: (bytes: number) => readonly number[];
})[] = [
  // Multi Channel, from endpoint 1.
  { ccId: 0x60, ccCommand: 0x0d, before: () => [1, 0] },
  // Supervision, as its first session.
  { ccId: 0x6c, ccCommand: 0x01, before: (bytes) => [1, bytes] },
  // Multi Command, as its only one.
  { ccId: 0x8f, ccCommand: 0x01, before: (bytes) => [1, bytes] },
];

/** What a device can measure, in the hub's units. */
const plausible: Readonly<Record<string, readonly [least: number, most: number]>> = {
  temperature: [-100, 150],
  targetTemp: [-50, 150],
  targetTemperature: [-50, 150],
  totalPower: [0, 1e9],
  activePower: [-1e6, 1e6],
  power: [-1e6, 1e6],
  voltage: [0, 1000],
  current: [0, 1000],
};

const validators = new Map<string, Validator>();

/** One in so many frames is wrapped, and one in so many has another command class or command. */
const wrappedEvery = 6;
const foreignEvery = 50;

/** How often the plug is turned until it answers, and the codes of missing answers. */
const turnTries = 5;
const missed: ReadonlySet<string> = new Set(["unreachable", "timeout"]);

/** How many frames go out before the hub's view is checked. */
const batch = 25;

/** What became of a frame. */
export interface FuzzedFrame {
  readonly outcome: "reported" | "silent";
  readonly shown: string;
  readonly problems: readonly string[];
}

/** A network whose devices say nonsense. */
export class FuzzedNetwork {
  readonly #home: Rig;
  /** What was sent since the last check. */
  readonly #sent: string[] = [];
  #isOn = false;

  private constructor(home: Rig) {
    this.#home = home;
  }

  static async start(): Promise<FuzzedNetwork> {
    const home = await startRig();
    for (const plan of [
      plans.wallPlug,
      plans.motionSensor,
      plans.thermostat,
      plans.remote,
      plans.dimmerWithSettings,
    ])
      await home.pair(plan());
    return new FuzzedNetwork(home);
  }

  /** Lets a device send a report with altered fields. Checks after each `batch` of them what the hub hears. */
  async try(random: Random): Promise<FuzzedFrame> {
    const { stick, reports } = this.#home;
    const node = stick.nodeIds[random(stick.nodeIds.length)] ?? 0;
    const { name, ...frame } = frameOf(templates[random(templates.length)] as Template, random);
    const payload = altered(frame.payload, random);
    const [ccId, ccCommand] =
      random(foreignEvery) === 0 ? [random(256), random(256)] : [frame.ccId, frame.ccCommand];
    await stick.says(node, rawCommand(ccId, ccCommand, payload));
    const bytes = Buffer.from([ccId, ccCommand, ...payload]).toString("hex");
    this.#sent.push(`node ${node}: ${name} ${bytes}`);
    if (this.#sent.length < batch) return { outcome: "silent", shown: "", problems: [] };
    // The answer comes behind everything that the devices have said.
    await this.#turnPlug();
    stick.forgetFrames();
    const news = reports.splice(0);
    const problems = news.flatMap(({ attributes }) => Object.entries(attributes).flatMap(impossible));
    const shown = this.#sent.splice(0).join("\n");
    return { outcome: news.length > 1 ? "reported" : "silent", shown, problems };
  }

  /** Checks that everything still works. Returns what does not. */
  async finish(): Promise<readonly string[]> {
    const home = this.#home;
    await this.#turnPlug();
    const nodes = await home.nodes();
    const dropped = nodes.reduce((sum, { dropped: count }) => sum + Number(count), 0);
    return [...home.complaints, ...(dropped > 0 ? [] : ["no value was counted as dropped"])];
  }

  async #turnPlug(): Promise<void> {
    const [plug = 0] = this.#home.stick.nodeIds;
    this.#isOn = !this.#isOn;
    for (let left = turnTries; ; left -= 1) {
      try {
        return await this.#home.set(this.#home.native(plug), { isOn: this.#isOn });
      } catch (error) {
        // A busy machine may acknowledge too late.
        if (left <= 1 || !missed.has((error as AdapterError).code)) throw error;
      }
    }
  }

  async close(): Promise<void> {
    await this.#home.close();
  }
}

/** A report as it is, or wrapped. */
function frameOf(template: Template, random: Random): Template {
  if (random(wrappedEvery) > 0) return template;
  const { ccId, ccCommand, before } = wrappers[random(wrappers.length)] as (typeof wrappers)[number];
  const inner = [template.ccId, template.ccCommand, ...template.payload];
  return { name: template.name, ccId, ccCommand, payload: [...before(inner.length), ...inner] };
}

/** Alters one byte, some, all, or the length. */
function altered(payload: readonly number[], random: Random): Uint8Array {
  const bytes = Uint8Array.from(payload);
  const any = (): number =>
    [0x00, 0x7f, 0x80, 0xfe, 0xff, random(256), random(256), random(256)][random(8)] ?? 0;
  const how = random(5);
  if (how === 0) return bytes.map(any);
  if (how === 1) return bytes.subarray(0, random(bytes.length + 1));
  if (how === 2) return Uint8Array.from([...bytes, ...Array.from({ length: random(12) }, any)]);
  for (let left = how === 3 ? 1 : 3; left > 0; left -= 1) bytes[random(bytes.length)] = any();
  return bytes;
}

function impossible([name, value]: readonly [string, unknown]): readonly string[] {
  const schema = attribute(name)?.value;
  if (schema === undefined) return [`an unknown attribute ${name}`];
  const validator = validators.get(name) ?? Compile(schema);
  validators.set(name, validator);
  const [least, most] = plausible[name] ?? [-Infinity, Infinity];
  const isPlausible = typeof value !== "number" || (value >= least && value <= most);
  return validator.Check(value) && isPlausible ? [] : [`${name} ${JSON.stringify(value)}`];
}
