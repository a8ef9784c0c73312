import type {
  AirDevice,
  AirFrame,
  AirLine,
  Ieee,
  InterPanFrame,
  InterPanLine,
  NodeDescriptor,
} from "../air.ts";
import type { Cluster, Command, Host, Outcome, OwnFrame } from "./cluster.ts";
import { Groups } from "./clusters/groups.ts";
import { Touchlink } from "./clusters/touchlink.ts";
import type { Endpoint } from "./endpoint.ts";
import { general } from "./general.ts";
import { Reporter } from "./reporter.ts";
import { ByteReader, Truncated } from "./zcl/bytes.ts";
import { foundation, writeDefaultResponse, writeValues } from "./zcl/foundation.ts";
import type { Header } from "./zcl/frame.ts";
import { readHeader, writeFrame } from "./zcl/frame.ts";
import { status } from "./zcl/status.ts";
import { UnknownType } from "./zcl/types.ts";

/** The endpoint that stands for all endpoints. */
const everyEndpoint = 0xff;
/** The coordinator's endpoint for frames sent without a binding. */
const unboundPeer = 1;

export interface Hardware {
  readonly ieee: Ieee;
  readonly kind: NodeDescriptor["kind"];
  readonly isMainsPowered: boolean;
  readonly manufacturerCode: number;
  readonly endpoints: readonly Endpoint[];
}

/** A simulated Zigbee device above the network layer. Its clusters determine its answers and reports. */
export class ZclDevice implements AirDevice {
  readonly ieee: Ieee;
  readonly descriptor: NodeDescriptor;
  readonly endpoints: readonly Endpoint[];
  readonly #reporters: ReadonlyMap<Cluster, Reporter>;
  readonly #alarms: Set<() => void> = new Set();
  #line: AirLine | undefined;
  #isPowered = true;
  #transaction = 0;

  constructor({ ieee, kind, isMainsPowered, manufacturerCode, endpoints }: Hardware) {
    this.ieee = ieee;
    this.endpoints = endpoints;
    const described = endpoints.map((endpoint) => endpoint.descriptor);
    this.descriptor = { kind, isMainsPowered, manufacturerCode, endpoints: described };
    const reporters = endpoints.flatMap((endpoint) =>
      endpoint.clusters.map((one) => this.#adopt(endpoint, one)),
    );
    this.#reporters = new Map(reporters);
  }

  /** Whether it is in a network and has power. */
  get isOnline(): boolean {
    return this.#line !== undefined && this.#isPowered;
  }

  joined(line: AirLine): void {
    this.#stop();
    this.#line = line;
    if (this.#isPowered) this.#resume();
  }

  left(): void {
    this.#stop();
    this.#line = undefined;
    for (const [cluster, reporter] of this.#reporters) {
      reporter.forget();
      cluster.forget();
    }
  }

  /** Switches the power. Everything in motion stops where it is, and clusters apply their start-up settings. */
  power(isOn: boolean): void {
    if (isOn === this.#isPowered) return;
    this.#isPowered = isOn;
    if (!isOn) return this.#stop();
    for (const cluster of this.#reporters.keys()) cluster.poweredOn();
    if (this.#line) this.#resume();
  }

  received(frame: AirFrame): void {
    if (!this.isOnline) return;
    const payload = new ByteReader(frame.payload);
    const header = headerOf(payload);
    if (!header) return;
    const body = payload.rest();
    for (const endpoint of this.endpoints) {
      if (frame.endpoint !== endpoint.id && frame.endpoint !== everyEndpoint) continue;
      if (frame.group !== null && !this.groupsOf(endpoint.id).has(frame.group)) continue;
      this.#deliver(endpoint, frame, header, body);
    }
  }

  receivedInterPan({ profile, cluster, payload }: InterPanFrame, line: InterPanLine): void {
    const body = new ByteReader(payload);
    const header = headerOf(body);
    const touchlink = this.endpoints.flatMap(({ clusters }) => clusters).find((one) => one.id === cluster);
    if (!this.#isPowered || !header || !(touchlink instanceof Touchlink)) return;
    const reply = unlessTruncated(() => touchlink.heard(header.command, body, line));
    if (!reply) return;
    const answered: Header = { ...header, command: reply.command, isFromServer: true };
    line.answer({ profile, cluster, payload: writeFrame(answered, reply.payload) });
  }

  groupsOf(endpoint: number): ReadonlySet<number> {
    const groups = this.endpoints
      .find((one) => one.id === endpoint)
      ?.clusters.find((one) => one instanceof Groups);
    return groups?.members ?? new Set();
  }

  #deliver(endpoint: Endpoint, frame: AirFrame, header: Header, body: Uint8Array): void {
    const isMany = frame.isBroadcast || frame.group !== null;
    const command: Command = { header, peerEndpoint: frame.peerEndpoint, group: frame.group, isMany };
    const outcome = this.#perform(
      endpoint.cluster(frame.cluster, header.isFromServer ? "client" : "server"),
      command,
      body,
    );
    if (isMany || outcome === null || !this.isOnline) return;
    const answer =
      typeof outcome === "object" ? { ...outcome, isClusterSpecific: header.isClusterSpecific } : undefined;
    const result = typeof outcome === "number" ? outcome : status.success;
    if (!answer && result === status.success && header.disablesDefaultResponse) return;
    const {
      command: id,
      payload,
      isClusterSpecific,
    } = answer ?? {
      command: foundation.defaultResponse,
      payload: writeDefaultResponse(header.command, result),
      isClusterSpecific: false,
    };
    const { endpoint: at, peerEndpoint, profile, cluster } = frame;
    const from = at === everyEndpoint ? endpoint.id : at;
    const answered: Header = {
      ...header,
      command: id,
      isClusterSpecific,
      isFromServer: !header.isFromServer,
      disablesDefaultResponse: true,
    };
    const answerFrame = {
      endpoint: from,
      peerEndpoint,
      profile,
      cluster,
      payload: writeFrame(answered, payload),
    };
    this.#line?.send(answerFrame, frame.peer);
  }

  /** Carries out a command. Never throws, whatever the octets are. */
  #perform(cluster: Cluster | undefined, command: Command, body: Uint8Array): Outcome {
    const { header } = command;
    try {
      if (!cluster) return isAnswer(header) ? null : status.unsupportedCluster;
      if (!header.isClusterSpecific) {
        return general(cluster, this.#reporterOf(cluster), command, body);
      }
      const handler = cluster.handler(header.command, header.manufacturer);
      const isStandard = header.manufacturer === null;
      if (isStandard && !cluster.fits(header.command, body)) return status.malformedCommand;
      if (handler) return handler(new ByteReader(body), command);
      return header.manufacturer === null
        ? status.unsupportedClusterCommand
        : status.unsupportedManufacturerClusterCommand;
    } catch (error) {
      if (error instanceof Truncated || error instanceof UnknownType) return status.malformedCommand;
      throw error;
    }
  }

  #reporterOf(cluster: Cluster): Reporter {
    const reporter = this.#reporters.get(cluster);
    if (!reporter) throw new Error("a cluster of another device");
    return reporter;
  }

  #adopt(endpoint: Endpoint, cluster: Cluster): [Cluster, Reporter] {
    const now = (): number => this.#line?.now() ?? 0;
    const after: Host["after"] = (ms, callback) => this.#after(ms, callback);
    const toBound: Host["sendToBound"] = (from, frame) => this.#toBound(endpoint, from, frame);
    const report = (attributes: readonly { manufacturer: number | null; id: number }[]): void =>
      this.#report(endpoint, cluster, attributes as Cluster["attributes"]);
    const isOnline = (): boolean => this.isOnline;
    cluster.attach({
      endpoint: endpoint.id,
      get isOnline() {
        return isOnline();
      },
      now,
      after,
      sendToBound: toBound,
      sendTo: (peerEndpoint, from, frame) => this.#send(endpoint, peerEndpoint, from, frame),
      changed: (from, attributes) => {
        if (!this.isOnline) return;
        const reporter = this.#reporterOf(from);
        reporter.changed(attributes);
        const others = attributes.filter((one) => !reporter.of(one));
        if (from.reportsUnasked && others.length > 0) this.#report(endpoint, from, others);
      },
      sibling: (id) => endpoint.cluster(id, "server"),
    });
    return [cluster, new Reporter({ now, after }, report)];
  }

  /** Sends one frame for the attributes of each manufacturer, because a header holds one manufacturer code. */
  #report(endpoint: Endpoint, cluster: Cluster, attributes: Cluster["attributes"]): void {
    for (const manufacturer of new Set(attributes.map((one) => one.manufacturer))) {
      const records = attributes.filter((one) => one.manufacturer === manufacturer);
      const payload = writeValues(records.map(({ id, type, value }) => ({ attribute: id, type, value })));
      const frame = { command: foundation.report, payload, isClusterSpecific: false, manufacturer };
      if (cluster.reportsUnasked) this.#send(endpoint, unboundPeer, cluster, frame);
      else this.#toBound(endpoint, cluster, frame);
    }
  }

  #toBound(endpoint: Endpoint, cluster: Cluster, frame: OwnFrame): void {
    const bindings = this.#line?.bindings ?? [];
    for (const { endpoint: at, cluster: id, to } of bindings) {
      if (at !== endpoint.id || id !== cluster.id) continue;
      if (!("group" in to)) {
        this.#send(endpoint, to.endpoint, cluster, frame, to.ieee);
      } else if (this.isOnline) {
        const payload = this.#frame(cluster, frame);
        this.#line?.sendToGroup(to.group, { endpoint: at, profile: endpoint.profile, cluster: id, payload });
      }
    }
  }

  #send(endpoint: Endpoint, peerEndpoint: number, cluster: Cluster, frame: OwnFrame, to?: Ieee): void {
    if (!this.isOnline) return;
    const payload = this.#frame(cluster, frame);
    const { id, profile } = endpoint;
    this.#line?.send({ endpoint: id, peerEndpoint, profile, cluster: cluster.id, payload }, to);
  }

  #frame(cluster: Cluster, frame: OwnFrame): Uint8Array {
    this.#transaction = (this.#transaction + 1) & 0xff;
    const header: Header = {
      isClusterSpecific: frame.isClusterSpecific ?? true,
      manufacturer: frame.manufacturer === undefined ? cluster.manufacturer : frame.manufacturer,
      isFromServer: cluster.side === "server",
      disablesDefaultResponse: frame.wantsDefaultResponse !== true,
      transaction: this.#transaction,
      command: frame.command,
    };
    return writeFrame(header, frame.payload);
  }

  #after(ms: number, callback: () => void): () => void {
    if (!this.#line || !this.#isPowered) return () => undefined;
    const cancel = this.#line.after(ms, () => {
      this.#alarms.delete(cancel);
      callback();
    });
    this.#alarms.add(cancel);
    return () => {
      this.#alarms.delete(cancel);
      cancel();
    };
  }

  #resume(): void {
    for (const [cluster, reporter] of this.#reporters) {
      reporter.resume();
      cluster.online();
    }
  }

  #stop(): void {
    for (const cancel of this.#alarms) cancel();
    this.#alarms.clear();
  }
}

/** @returns undefined for octets that are not a frame. */
function headerOf(payload: ByteReader): Header | undefined {
  return unlessTruncated(() => readHeader(payload));
}

function unlessTruncated<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Truncated) return undefined;
    throw error;
  }
}

/** Whether it is a foundation command that answers another one, and is therefore not answered. */
function isAnswer({ isClusterSpecific, command }: Header): boolean {
  const answers: readonly number[] = [
    foundation.readResponse,
    foundation.writeResponse,
    foundation.configureReportingResponse,
    foundation.readReportingResponse,
    foundation.defaultResponse,
    foundation.discoverAttributesResponse,
  ];
  return !isClusterSpecific && answers.includes(command);
}
