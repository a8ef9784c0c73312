import { randomBytes } from "node:crypto";
import type { CommandClass } from "@zwave-js/cc";
import { isLongRangeNodeId, securityClassOrder } from "@zwave-js/core";
import { ZWaveSerialFrameType, FunctionType } from "@zwave-js/serial";
import { SerialAPIStartedRequest, SerialAPIWakeUpReason, SoftResetRequest } from "@zwave-js/serial/serialapi";
import { createAndOpenMockedZWaveSerialPort } from "@zwave-js/serial/mock";
import { createMockZWaveRequestFrame, MockController, MockNode } from "@zwave-js/testing";
import { createDefaultMockControllerBehaviors, createDefaultMockNodeBehaviors } from "zwave-js/Testing";
import { realTime } from "../clock.ts";
import { LineFaults } from "../serial/line-faults.ts";
import type { HostLine, PluggableStick } from "../serial/serve.ts";
import { Bootloader } from "./bootloader.ts";
import { refuseWhileBusy } from "./busy.ts";
import { Inclusion } from "./inclusion.ts";
import { keyExchangeBehaviour } from "./key-exchange.ts";
import { jamBehaviour } from "./jam.ts";
import { LearnMode } from "./learn-mode.ts";
import { type factoryRegions, LongRange } from "./long-range.ts";
import { networkIn, StickMemory } from "./memory.ts";
import { type NodePlan, ofLongRange } from "./node-plan.ts";
import { RawCommands } from "./raw-commands.ts";
import { broadcastBehaviour, multicastBehaviour } from "./multicast.ts";
import { reachBehaviour } from "./reach.ts";
import { functionAt, SerialFrames, serialByte } from "./serial-frames.ts";
import { capabilitiesOf, memberId, otherId, primary, type Series, series500 } from "./series.ts";
import { sleepBehaviour } from "./sleep.ts";

/** A stick sends a frame again when its host has not acknowledged it for this long (INS12350, 6.2.2). */
const acknowledgedWithinMs = 1600;
const tries = 3;

const ownNodeId = 1;
/** The function that starts the bootloader. */
const enterBootloader: number = FunctionType.EnterBootloader;
/** A static controller for a PC (SDS10242). */
const deviceClass = { genericDeviceClass: 0x02, specificDeviceClass: 0x01 } as const;

/** Options of a stick. */
export interface ZWaveStickOptions {
  /**
   * 700 by default. One of the 500 series does not say that it has started, and has no bootloader. One of the 800 series has
   * Long Range in some regions.
   */
  readonly series?: Series;
  /** Where one of the 800 series was sold; Europe by default. */
  readonly region?: keyof typeof factoryRegions;
  /** The id of its network. */
  readonly homeId?: number;
  /** Whether it gives its memory away, and takes another. */
  readonly hasMemory?: boolean;
  /** How long a frame is on the air, ms. A real one needs 2 to 10. */
  readonly airMs?: number;
  /** A stick in the same home: the nodes of its network are around this one, too. */
  readonly beside?: ZWaveStick;
  /** The id of the network of another controller that it has joined. It has left its own. */
  readonly memberOf?: number;
}

/** What is around the sticks of one home. */
interface Surroundings {
  /** The nodes of the networks that a stick had when its memory was written to or its power went off, by home id. */
  readonly networks: Map<number, ReadonlyMap<number, MockNode>>;
  /** Nodes without power. */
  readonly off: Set<MockNode>;
  /** Nodes that sleep. */
  readonly asleep: Set<MockNode>;
}

/**
 * A simulated Z-Wave stick with the Serial API of the 700 series and the nodes around it. The library's mock
 * controller answers for it. Ours are the framing, inclusion and exclusion, nodes that sleep or have no power, and
 * the removal of failed nodes.
 */
export class ZWaveStick implements PluggableStick {
  readonly kind = "zwave";
  readonly faults = new LineFaults(realTime);
  readonly inclusion: Inclusion;
  readonly bootloader: Bootloader;
  readonly learnMode: LearnMode;
  /** Whether it tells what its memory holds; else its pieces are empty, and it says that there are more. */
  givesMemory = true;
  /** Whether the air is so full that it sends nothing. */
  isJammed = false;
  /** The nodes of each frame to many that its host has sent. */
  readonly multicasts: (readonly number[])[] = [];
  /** How many frames to all its host has sent, such as those to many with S2. */
  broadcasts = 0;
  /** How long it tries a node that is silent before it gives up, ms. A real one tries other routes for seconds. */
  triesMs = 0;
  /** Whether it removes a failed node when it is told to. */
  removesFailed = true;
  /** Called when its host resets it. The port of some sticks is gone meanwhile. */
  onReset = async (): Promise<void> => {};
  readonly #controller: MockController;
  readonly #fromHost: (frame: Uint8Array) => Promise<void>;
  readonly #frames = new SerialFrames();
  readonly #raw: RawCommands;
  /** Absent in a stick that has none. */
  readonly #longRange: LongRange | undefined;
  readonly #around: Surroundings;
  readonly #memory = new StickMemory();
  #write: ((bytes: Uint8Array) => void) | null = null;
  readonly #airMs: number;
  #isOn = true;
  #lastSent: Uint8Array = new Uint8Array();

  /**
   * @param homeId of the network that it has when it leaves another controller's
   * @param region of a stick with Long Range
   */
  private constructor(
    controller: MockController,
    fromHost: (frame: Uint8Array) => Promise<void>,
    airMs: number,
    around: Surroundings,
    homeId: number,
    region: keyof typeof factoryRegions | undefined,
  ) {
    this.#controller = controller;
    const isSilent = (id: number): boolean => this.#isSilent(id);
    this.#longRange = region && new LongRange(controller, region, isSilent);
    this.#airMs = airMs;
    this.#fromHost = fromHost;
    this.#around = around;
    this.bootloader = new Bootloader({
      write: (bytes) => this.#sendBytes(bytes),
      run: (version) => void this.#run(version),
    });
    this.inclusion = new Inclusion(controller, {
      create: (id, plan) => this.#create(id, plan),
      left: (id) => this.#forget(id),
      hearsLongRange: () => this.#longRange?.isOn === true,
    });
    this.learnMode = new LearnMode({
      nodeId: () => (controller.capabilities.isSecondary ? controller.ownNodeId : undefined),
      leave: () => this.#renew(homeId),
    });
    this.#raw = new RawCommands(controller, {
      isSilent,
      replaceNext: (id) => this.inclusion.replaceNext(id),
      hardReset: () => this.#renew(this.homeId + 1),
      learnMode: this.learnMode,
      memory: () => this.readMemory(),
      adopt: (memory) => this.#adopt(memory),
      givesMemory: () => this.givesMemory,
    });
    controller.defineBehavior(...createDefaultMockControllerBehaviors().map(refuseWhileBusy));
    // The library asks the last defined first.
    controller.defineBehavior(
      this.inclusion.behaviour,
      {
        onHostMessage: async (_controller, message) => {
          if (message instanceof SoftResetRequest) {
            this.learnMode.reset();
            await this.#raw.settle();
            this.#longRange?.reset();
            await this.onReset();
            return this.#is500;
          }
          return false;
        },
      },
      broadcastBehaviour(
        (id) => !isSilent(id),
        () => (this.broadcasts += 1),
      ),
      reachBehaviour({
        isSilent,
        forget: (id) => this.#forget(id),
        triesMs: () => this.triesMs,
        removes: () => this.removesFailed,
      }),
      multicastBehaviour(
        (id) => !isSilent(id),
        (ids) => this.multicasts.push(ids),
      ),
      jamBehaviour(() => this.isJammed),
      ...(this.#longRange ? [this.#longRange.behaviour] : []),
    );
    this.#acknowledge();
  }

  /** Makes a stick in factory state. */
  static async create({
    homeId = 0xd1e5_0001,
    hasMemory = false,
    airMs = 1,
    beside,
    memberOf,
    series = 700,
    region = "europe",
  }: ZWaveStickOptions = {}): Promise<ZWaveStick> {
    const { port, serial } = await createAndOpenMockedZWaveSerialPort();
    // Nodes get the network's keys when they join; until then these fill their place.
    const key = (): Uint8Array<ArrayBuffer> => Uint8Array.from(randomBytes(16));
    const controller = await MockController.create({
      mockPort: port,
      serial,
      ownNodeId: memberOf === undefined ? ownNodeId : memberId,
      homeId: memberOf ?? homeId,
      securityKeys: {
        S0_Legacy: key(),
        S2_Unauthenticated: key(),
        S2_Authenticated: key(),
        S2_AccessControl: key(),
      },
      capabilities: capabilitiesOf(series, memberOf !== undefined, hasMemory),
    });
    const around: Surroundings =
      beside === undefined ? { networks: new Map(), off: new Set(), asleep: new Set() } : beside.#around;
    const toController = (frame: Uint8Array) => serial.writeAsync(Uint8Array.from(frame));
    const stick = new ZWaveStick(
      controller,
      toController,
      airMs,
      around,
      homeId,
      series === 800 ? region : undefined,
    );
    if (memberOf !== undefined)
      controller.addNode(await stick.#create(otherId, { capabilities: deviceClass, behaviours: [] }));
    void stick.#carry(serial.readable);
    return stick;
  }

  /** The id of its network. A hard reset gives it another, and so does learn mode. */
  get homeId(): number {
    return this.#controller.homeId;
  }

  /** The ids of the nodes in its network, without its own. */
  get nodeIds(): readonly number[] {
    return [...this.#controller.nodes.keys()];
  }

  get #is500(): boolean {
    return this.#controller.capabilities.libraryVersion === series500.libraryVersion;
  }

  /** Called before a piece of its memory is read, with its offset. */
  set onRead(heard: (offset: number) => void) {
    this.#raw.onRead = heard;
  }

  /** Called before a piece of its memory is written, with its offset. */
  set onWrite(heard: (offset: number) => void) {
    this.#raw.onWrite = heard;
  }

  /** Returns what its memory holds: its network. */
  async readMemory(): Promise<Uint8Array> {
    return await this.#memory.of({ homeId: this.homeId, nodeIds: this.nodeIds });
  }

  /** @throws Error when the network has no such node. */
  node(id: number): MockNode {
    const node = this.#controller.nodes.get(id);
    if (node === undefined) throw new Error(`there is no node ${id}`);
    return node;
  }

  /** Puts a node into the network without an inclusion, as if it had joined it earlier. */
  async place(plan: NodePlan): Promise<MockNode> {
    const node = await this.#create(this.inclusion.nextId(), plan);
    this.#controller.addNode(node);
    this.#sleep(node);
    return node;
  }

  /**
   * Switches a node's power. Without it the node answers nothing.
   * @param which its id in the network, or the node itself, which may not have joined yet
   */
  powerNode(which: number | MockNode, isOn: boolean): void {
    const node = typeof which === "number" ? this.node(which) : which;
    if (isOn) this.#around.off.delete(node);
    else this.#around.off.add(node);
  }

  /** Lets a node send a command to the stick; it must be awake and have power. */
  async says(id: number, command: CommandClass): Promise<void> {
    const node = this.node(id);
    if (this.#around.off.has(node)) throw new Error(`node ${id} has no power`);
    await node.sendToController(createMockZWaveRequestFrame(command, { ackRequested: false }));
  }

  /** Wakes a sleeping node until the host sends it to sleep. */
  wake(id: number): void {
    this.#around.asleep.delete(this.node(id));
  }

  isAsleep(id: number): boolean {
    return this.#around.asleep.has(this.node(id));
  }

  /** Forgets the frames that the library's controller and nodes keep for assertions. */
  forgetFrames(): void {
    this.#controller.clearReceivedHostMessages();
    for (const node of this.#controller.nodes.values()) {
      node.clearReceivedControllerFrames();
      node.clearSentControllerFrames();
    }
  }

  connect(write: (bytes: Uint8Array) => void): HostLine {
    this.#write = write;
    this.#frames.reset();
    const hasPort = (): boolean => this.#isOn && this.#write === write;
    return {
      receive: (chunk) => {
        const heard = hasPort() ? this.faults.received(chunk) : new Uint8Array();
        if (this.bootloader.isOn) this.bootloader.receive(heard);
        else this.#received(heard);
      },
      close: () => {
        if (this.#write === write) this.#write = null;
      },
    };
  }

  power(isOn: boolean): void {
    this.#isOn = isOn;
    if (!isOn) this.#around.networks.set(this.homeId, new Map(this.#controller.nodes));
    if (isOn) this.#hear([...this.#controller.nodes.values()]);
    this.#restart();
  }

  #restart(): void {
    this.bootloader.off();
    this.#frames.reset();
    this.#controller.state.clear();
    this.inclusion.reset();
    this.learnMode.reset();
    this.#longRange?.reset();
  }

  /** The application starts after the bootloader. @param version of a new one */
  async #run(version: string | undefined): Promise<void> {
    this.#restart();
    const { capabilities } = this.#controller;
    if (version !== undefined) (capabilities as { firmwareVersion: string }).firmwareVersion = version;
    const started = new SerialAPIStartedRequest({
      ...deviceClass,
      wakeUpReason: SerialAPIWakeUpReason.SoftwareReset,
      watchdogEnabled: capabilities.watchdogEnabled,
      isListening: true,
      supportedCCs: [],
      controlledCCs: [],
      supportsLongRange: capabilities.supportsLongRange,
    });
    await this.#controller.sendMessageToHost(started);
  }

  #received(chunk: Uint8Array): void {
    for (const arrival of this.#frames.take(chunk)) {
      if (arrival.type === "damaged") this.#sendBytes(Uint8Array.of(serialByte.nak));
      else if (arrival.type === "frame") {
        this.inclusion.heard(arrival.bytes);
        const acknowledge = (): void => this.#sendBytes(Uint8Array.of(serialByte.ack));
        if (arrival.bytes[functionAt] === enterBootloader && !this.#is500) {
          acknowledge();
          this.bootloader.enter();
        } else if (!this.#takes(arrival.bytes, acknowledge)) void this.#fromHost(arrival.bytes);
      } else if (arrival.byte === serialByte.nak) this.#sendBytes(this.#lastSent);
      else if (arrival.byte === serialByte.ack) void this.#fromHost(Uint8Array.of(serialByte.ack));
    }
  }

  /** Whether a node answers nothing: it has no power, sleeps, or is not there. */
  #isSilent(id: number): boolean {
    const node = this.#controller.nodes.get(id);
    return node === undefined || this.#around.off.has(node) || this.#around.asleep.has(node);
  }

  /** Answers a frame that the library's controller cannot read, and returns whether it is one. */
  #takes(frame: Uint8Array, acknowledge: () => void): boolean {
    return this.#raw.takes(frame, acknowledge) || this.#longRange?.takes(frame, acknowledge) === true;
  }

  /** Carries what the controller says to the host. */
  async #carry(
    readable: AsyncIterable<{ readonly type: ZWaveSerialFrameType; readonly data: unknown }>,
  ): Promise<void> {
    for await (const { type, data } of readable) {
      if (type !== ZWaveSerialFrameType.SerialAPI) continue;
      if (data instanceof Uint8Array) {
        this.#lastSent = data;
        this.#sendBytes(data);
      } else if (typeof data === "number") this.#sendBytes(Uint8Array.of(data));
    }
  }

  #sendBytes(bytes: Uint8Array): void {
    const write = this.#write;
    if (this.#isOn && write) this.faults.send(bytes, (sent) => this.#write === write && write(sent));
  }

  /** Repeats a frame that the host has not acknowledged, and goes on without an answer in the end. */
  #acknowledge(): void {
    const controller = this.#controller;
    const expect = controller.expectHostACK.bind(controller);
    controller.expectHostACK = async () => {
      for (let left = tries; left > 0; left -= 1) {
        const isAcknowledged = await expect(acknowledgedWithinMs).then(
          () => true,
          () => false,
        );
        if (isAcknowledged || this.#write === null) return;
        this.#sendBytes(this.#lastSent);
      }
    };
  }

  async #create(id: number, plan: NodePlan): Promise<MockNode> {
    const isFar = isLongRangeNodeId(id);
    const capabilities = { ...plan.capabilities, txDelay: this.#airMs, ...(isFar && ofLongRange(plan)) };
    const node = await MockNode.create({ id, controller: this.#controller, capabilities });
    // The library's node keeps all keys in one place, whichever protocol they are of.
    const { securityManager2 } = node.securityManagers;
    if (isFar) node.securityManagers = { ...node.securityManagers, securityManagerLR: securityManager2 };
    // It has no keys until it joins, whatever the library's node assumes.
    for (const key of securityClassOrder) node.encodingContext.setSecurityClass(id, key, false);
    node.defineBehavior(...createDefaultMockNodeBehaviors());
    node.defineBehavior(
      sleepBehaviour(() => this.#sleep(node)),
      keyExchangeBehaviour,
      ...plan.behaviours,
    );
    return node;
  }

  /** Sends a node to sleep, unless it always listens. A node that joins is awake. */
  #sleep(node: MockNode): void {
    const { isListening, isFrequentListening } = node.capabilities;
    if (!isListening && isFrequentListening === false) this.#around.asleep.add(node);
  }

  /** Has the network that its memory holds from now on; a new one when nobody can read that. */
  async #adopt(memory: Uint8Array): Promise<void> {
    const { homeId, nodeIds } = (await networkIn(memory)) ?? { homeId: this.homeId + 1, nodeIds: [] };
    const { networks } = this.#around;
    networks.set(this.homeId, new Map(this.#controller.nodes));
    for (const node of this.#controller.nodes.values()) this.#controller.removeNode(node);
    this.#controller.homeId = homeId;
    const around = networks.get(homeId);
    this.#hear(nodeIds.flatMap((id) => around?.get(id) ?? []));
    this.inclusion.continueAfter(nodeIds);
    this.#controller.state.clear();
    this.inclusion.reset();
  }

  /** Nodes are heard by the stick of their network that has power. */
  #hear(nodes: readonly MockNode[]): void {
    for (const node of nodes) {
      (node as { controller: MockController }).controller = this.#controller;
      this.#controller.addNode(node);
    }
  }

  /** It has an empty network of its own. */
  #renew(homeId: number): void {
    const controller = this.#controller;
    for (const id of this.nodeIds) this.#forget(id);
    for (const each of [controller, controller.encodingContext, controller.parsingContext])
      Object.assign(each, { homeId, ownNodeId });
    Object.assign(controller.capabilities, primary);
    controller.state.clear();
    this.inclusion.reset();
  }

  #forget(id: number): void {
    const node = this.#controller.nodes.get(id);
    if (node === undefined) return;
    this.#controller.removeNode(node);
    this.#around.off.delete(node);
    this.#around.asleep.delete(node);
  }
}
