import type { AirDevice, AirFrame, AirLine, Ieee, NodeDescriptor } from "@ledge/testkit/zigbee";

const onOff = 6;
const groups = 4;
const basic = 0;

/** A minimal plug for interviews and switching, with hand-coded ZCL bytes. */
export class Plug implements AirDevice {
  readonly ieee: Ieee;
  readonly descriptor: NodeDescriptor;
  isOn = false;
  readonly received: (frame: AirFrame) => void = (frame) => this.#received(frame);
  readonly #groups = new Set<number>();
  #line: AirLine | null = null;

  constructor(ieee: Ieee, kind: NodeDescriptor["kind"] = "router") {
    this.ieee = ieee;
    const endpoint = { id: 1, profile: 0x0104, device: 0x0051, input: [basic, groups, onOff], output: [] };
    this.descriptor = {
      kind,
      isMainsPowered: kind !== "sleepy",
      manufacturerCode: 0x1234,
      endpoints: [endpoint],
    };
  }

  get line(): AirLine | null {
    return this.#line;
  }

  joined(line: AirLine): void {
    this.#line = line;
  }

  left(): void {
    this.#line = null;
    this.#groups.clear();
  }

  groupsOf(): ReadonlySet<number> {
    return this.#groups;
  }

  /** Reports on/off by itself, like a plug whose button is pressed. */
  press(): void {
    this.isOn = !this.isOn;
    this.#send(onOff, [0x18, 1, 0x0a, 0, 0, 0x10, Number(this.isOn)]);
  }

  #received({ cluster, payload, group }: AirFrame): void {
    const [control = 0, sequence = 0, command = 0, ...rest] = payload;
    const isForCluster = (control & 3) === 1;
    if (!isForCluster && command === 0)
      this.#send(cluster, [0x18, sequence, 1, ...this.#read(cluster, rest)]);
    else if (isForCluster && cluster === onOff) {
      this.isOn = command === 2 ? !this.isOn : command === 1;
      if (group === null) this.#send(cluster, [0x18, sequence, 0x0b, command, 0]);
    } else if (isForCluster && cluster === groups && command === 0) {
      const [low = 0, high = 0] = rest;
      this.#groups.add(low | (high << 8));
      this.#send(cluster, [0x19, sequence, 0, 0, low, high]);
    }
  }

  #read(cluster: number, wanted: readonly number[]): readonly number[] {
    const answers: number[] = [];
    for (let at = 0; at + 1 < wanted.length; at += 2) {
      const [low = 0, high = 0] = wanted.slice(at, at + 2);
      answers.push(low, high, ...this.#attribute(cluster, low | (high << 8)));
    }
    return answers;
  }

  #attribute(cluster: number, id: number): readonly number[] {
    const text = (value: string): number[] => [0, 0x42, value.length, ...Buffer.from(value)];
    if (cluster === basic && id === 4) return text("Ledge");
    if (cluster === basic && id === 5) return text("TEST-PLUG");
    if (cluster === basic && id === 7) return [0, 0x30, this.descriptor.isMainsPowered ? 1 : 3];
    if (cluster === onOff && id === 0) return [0, 0x10, Number(this.isOn)];
    return [0x86];
  }

  #send(cluster: number, payload: readonly number[]): void {
    const frame = { endpoint: 1, peerEndpoint: 1, profile: 0x0104, cluster };
    this.#line?.send({ ...frame, payload: Uint8Array.from(payload) });
  }
}
