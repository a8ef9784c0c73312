import {
  AddNodeStatus,
  AddNodeToNetworkRequest,
  AddNodeToNetworkRequestStatusReport,
  AddNodeType,
  RemoveNodeFromNetworkRequest,
  RemoveNodeFromNetworkRequestStatusReport,
  RemoveNodeStatus,
  RemoveNodeType,
  SoftResetRequest,
} from "@zwave-js/serial/serialapi";
import type { MockController, MockControllerBehavior, MockNode } from "@zwave-js/testing";
import { NodeIds } from "./node-ids.ts";
import type { NodePlan } from "./node-plan.ts";
import { announce, asksFor, labelOf, type SmartStartLabel } from "./smart-start.ts";
import { supportedClasses } from "./supported-classes.ts";

interface Nodes {
  readonly create: (id: number, plan: NodePlan) => Promise<MockNode>;
  readonly left: (id: number) => void;
  /** Whether the stick hears nodes with Long Range. */
  readonly hearsLongRange: () => boolean;
}

/** A device of SmartStart. */
interface Smart {
  readonly label: SmartStartLabel;
  /** The node that it becomes in the mesh. */
  readonly node: MockNode;
  /** The node that it becomes by Long Range, if it has that. */
  readonly far?: MockNode;
}

/** How often a device of SmartStart announces itself, ms; real ones do it ever more seldom. */
const announceMs = 10_000;

type Mode = "idle" | "listening" | "adding" | "removing";

/**
 * How nodes come into a stick's network and leave it. A device that seeks a network joins as soon as the stick adds
 * nodes; one whose button was pressed for it leaves as soon as the stick removes nodes.
 */
export class Inclusion {
  readonly #controller: MockController;
  readonly #nodes: Nodes;
  #mode: Mode = "idle";
  #callbackId = 0;
  readonly #ids = new NodeIds();
  #seeking: NodePlan[] = [];
  /** What a device of SmartStart becomes by Long Range, by what it becomes in the mesh. */
  readonly #far = new WeakMap<MockNode, MockNode>();
  /** Devices of SmartStart with power that are in no network, as what they become in the mesh. */
  readonly #announcing = new Set<MockNode>();
  #lastFrame: Uint8Array = new Uint8Array();
  #leaving: (number | "stranger")[] = [];
  #added: number | undefined;
  #replacing: ((plan: NodePlan) => void) | undefined;
  /** Called while a node joins, before the stick tells the host of the next step. */
  onStep: (status: AddNodeStatus | RemoveNodeStatus) => Promise<void> = async () => {};

  constructor(controller: MockController, nodes: Nodes) {
    this.#controller = controller;
    this.#nodes = nodes;
  }

  get mode(): Mode {
    return this.#mode;
  }

  nextId(): number {
    return this.#ids.next();
  }

  /** The stick has another memory: further nodes get ids after these. */
  continueAfter(ids: readonly number[]): void {
    this.#ids.continueAfter(ids);
  }

  /** Lets a device seek a network until it has joined one. */
  seek(plan: NodePlan): void {
    const replacing = this.#replacing;
    this.#replacing = undefined;
    if (replacing) return replacing(plan);
    this.#seeking.push(plan);
    if (this.#mode === "adding") void this.#addNext();
  }

  /** Makes a device of SmartStart that has no power yet. */
  async smart(plan: NodePlan): Promise<Smart> {
    const node = await this.#nodes.create(this.nextId(), plan);
    const label = labelOf(node, plan.hasLongRange === true);
    if (plan.hasLongRange !== true) return { node, label };
    const far = await this.#nodes.create(this.#ids.next(true), plan);
    far.ecdhKeyPair = node.ecdhKeyPair;
    this.#far.set(node, far);
    return { node, label, far };
  }

  /** Gives a device of SmartStart power: it announces itself, by Long Range too if it can, until it is in a network. */
  powerOn(node: MockNode): void {
    this.#announcing.add(node);
    void this.#announce(node);
  }

  async #announce(node: MockNode): Promise<void> {
    while (this.#announcing.has(node)) {
      for (const each of this.#formsOf(node))
        if (this.#mode === "listening") await announce(this.#controller, each);
      await new Promise<void>((resolve) => setTimeout(resolve, announceMs).unref());
    }
  }

  /** Returns what a device can become in this network. */
  #formsOf(node: MockNode): readonly MockNode[] {
    const far = this.#nodes.hearsLongRange() ? this.#far.get(node) : undefined;
    return far === undefined ? [node] : [node, far];
  }

  /** Hears each frame of the host before `behaviour` does: the library reads no key out of it. */
  heard(frame: Uint8Array): void {
    this.#lastFrame = frame;
  }

  /** Presses a node's button, so that it leaves when the stick removes nodes; `stranger`: of another network. */
  leave(id: number | "stranger"): void {
    this.#leaving.push(id);
    if (this.#mode === "removing") void this.#removeNext();
  }

  /** Lets the next device that seeks a network take the place of a node. Resolves when it has. */
  async replaceNext(id: number): Promise<void> {
    const plan =
      this.#seeking.shift() ?? (await new Promise<NodePlan>((resolve) => (this.#replacing = resolve)));
    this.#nodes.left(id);
    this.#controller.addNode(await this.#nodes.create(id, plan));
  }

  /** Ends what is under way, as a stick without power does. Devices go on seeking. */
  reset(): void {
    this.#mode = "idle";
    this.#added = undefined;
    this.#replacing = undefined;
  }

  readonly behaviour: MockControllerBehavior = {
    onHostMessage: async (_controller, message) => {
      if (message instanceof AddNodeToNetworkRequest) {
        await this.#add(message);
        return true;
      }
      // The library's controller answers it.
      if (message instanceof SoftResetRequest) {
        this.reset();
        this.#controller.state.clear();
      }
      if (message instanceof RemoveNodeFromNetworkRequest) {
        await this.#remove(message);
        return true;
      }
      return false;
    },
  };

  async #add({ addNodeType, callbackId = 0 }: AddNodeToNetworkRequest): Promise<void> {
    if (addNodeType === AddNodeType.Stop) {
      const nodeId = this.#added;
      this.reset();
      if (nodeId === undefined) await this.#tellAdding({ callbackId, status: AddNodeStatus.Failed });
      else await this.#tellAdding({ callbackId, status: AddNodeStatus.Done, nodeId });
      return;
    }
    if (addNodeType === AddNodeType.SmartStartListen) {
      if (this.#mode === "idle") this.#mode = "listening";
      return;
    }
    if (this.#mode === "adding" || this.#mode === "removing") {
      await this.#tellAdding({ callbackId, status: AddNodeStatus.Failed });
      return;
    }
    this.#mode = "adding";
    this.#callbackId = callbackId;
    await this.#tellAdding({ callbackId, status: AddNodeStatus.Ready });
    if (addNodeType !== AddNodeType.SmartStartDSK) return await this.#addNext();
    for (const device of this.#announcing) {
      const asked = this.#formsOf(device).find((each) => asksFor(this.#lastFrame, each));
      if (asked && (await this.#join(asked))) this.#announcing.delete(device);
    }
  }

  async #addNext(): Promise<void> {
    const plan = this.#seeking.shift();
    if (plan === undefined) return;
    if (!(await this.#join(await this.#nodes.create(this.nextId(), plan)))) this.#seeking.push(plan);
  }

  /** Returns whether the node is in the network; not if the stick was interrupted. */
  async #join(node: MockNode): Promise<boolean> {
    const callbackId = this.#callbackId;
    const { id: nodeId, capabilities } = node;
    const { basicDeviceClass, genericDeviceClass, specificDeviceClass } = capabilities;
    const supportedCCs = [...supportedClasses(node)];
    const nodeInfo = { nodeId, basicDeviceClass, genericDeviceClass, specificDeviceClass, supportedCCs };
    for (const report of [
      { callbackId, status: AddNodeStatus.NodeFound },
      { callbackId, status: AddNodeStatus.AddingSlave, nodeInfo },
      { callbackId, status: AddNodeStatus.ProtocolDone },
    ] as const) {
      await this.onStep(report.status);
      if (this.#mode !== "adding") return false;
      if (report.status === AddNodeStatus.ProtocolDone) {
        this.#controller.addNode(node);
        this.#added = nodeId;
      }
      await this.#tellAdding(report);
    }
    return true;
  }

  async #tellAdding(
    report: ConstructorParameters<typeof AddNodeToNetworkRequestStatusReport>[0],
  ): Promise<void> {
    if (report.callbackId === 0) return;
    await this.#controller.sendMessageToHost(new AddNodeToNetworkRequestStatusReport(report));
  }

  async #remove({ removeNodeType, callbackId = 0 }: RemoveNodeFromNetworkRequest): Promise<void> {
    if (removeNodeType === RemoveNodeType.Stop) {
      this.reset();
      await this.#tellRemoving({ callbackId, status: RemoveNodeStatus.Done });
      return;
    }
    if (this.#mode === "adding" || this.#mode === "removing") {
      await this.#tellRemoving({ callbackId, status: RemoveNodeStatus.Failed });
      return;
    }
    this.#mode = "removing";
    this.#callbackId = callbackId;
    await this.#tellRemoving({ callbackId, status: RemoveNodeStatus.Ready });
    await this.#removeNext();
  }

  async #removeNext(): Promise<void> {
    const leaver = this.#leaving.shift();
    if (leaver === undefined) return;
    const callbackId = this.#callbackId;
    const nodeId = leaver === "stranger" ? 0 : leaver;
    for (const report of [
      { callbackId, status: RemoveNodeStatus.NodeFound },
      { callbackId, status: RemoveNodeStatus.RemovingSlave, nodeId },
      { callbackId, status: RemoveNodeStatus.Done },
    ] as const) {
      await this.onStep(report.status);
      if (this.#mode !== "removing") return;
      if (report.status === RemoveNodeStatus.Done) this.#nodes.left(nodeId);
      await this.#tellRemoving(report);
    }
  }

  async #tellRemoving(
    report: ConstructorParameters<typeof RemoveNodeFromNetworkRequestStatusReport>[0],
  ): Promise<void> {
    if (report.callbackId === 0) return;
    await this.#controller.sendMessageToHost(new RemoveNodeFromNetworkRequestStatusReport(report));
  }
}
