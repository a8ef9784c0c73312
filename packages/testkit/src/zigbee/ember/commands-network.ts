import { fromHex, hexOf, wire, type ByteReader, type ByteWriter } from "../bytes.ts";
import type { Network } from "../network.ts";
import { channelsOf } from "../zdo-server.ts";
import { answer, type Commands } from "./commands.ts";
import { emberStatus, frameId, networkState, noFrameCounterReset, nodeType, slStatus } from "./ezsp.ts";
import type { EmberRadio } from "./radio.ts";

/** What EmberNetworkParameters say besides the key, which is set apart. */
interface Parameters extends Omit<Network, "key"> {
  readonly txPower: number;
  readonly updateId: number;
  readonly channels: number;
}

const noNode = 0xfffe;
const energyScan = 0;

/** The network: forming, resuming, leaving, opening and measuring it. */
export const networkCommands: Commands = {
  /** Resumes the stored network. */
  [frameId.networkInit]: ({ radio, memory, afterwards }) => {
    if (radio.network) return answer(emberStatus.invalidCall);
    const network = memory.network();
    if (!network) return answer(emberStatus.notJoined);
    afterwards(() => radio.start(network));
    return answer(emberStatus.success);
  },
  [frameId.networkState]: ({ radio }) => wire().u8(radio.network ? networkState.joined : networkState.none),
  [frameId.formNetwork]: ({ radio, memory, afterwards }, request) => {
    const { txPower, updateId, channels, ...identity } = readParameters(request);
    const { security } = radio;
    if (radio.network) return answer(emberStatus.invalidCall);
    if (!security) return answer(emberStatus.securityStateNotSet);
    if (identity.channel < 11 || identity.channel > 26) return answer(emberStatus.badArgument);
    const network: Network = { ...identity, key: hexOf(security.networkKey) };
    if (!security.keepsCounters) memory.frameCounter = 0;
    memory.form(network, txPower, { updateId, channels }, security);
    radio.security = null;
    afterwards(() => radio.start(network));
    return answer(emberStatus.success);
  },
  [frameId.leaveNetwork]: ({ radio, afterwards }) => {
    if (!radio.network) return answer(emberStatus.invalidCall);
    afterwards(() => radio.leave());
    return answer(emberStatus.success);
  },
  [frameId.permitJoining]: ({ radio, afterwards }, request) => {
    const seconds = request.u8();
    if (!radio.network) return answer(emberStatus.notJoined);
    afterwards(() => radio.permit(seconds));
    return answer(emberStatus.success);
  },
  [frameId.getNetworkParameters]: ({ radio }) => writeParameters(radio),
  [frameId.getEui64]: ({ radio }) => wire().ieee(radio.ieee),
  [frameId.getNodeId]: ({ radio }) => wire().u16(radio.network ? 0 : noNode),
  [frameId.getRadioChannel]: ({ radio }) => wire().u8(radio.network?.channel ?? 0xff),
  [frameId.setRadioPower]: ({ radio }, request) => {
    const power = request.i8();
    if (power > 20) return answer(emberStatus.badArgument);
    radio.txPower = power;
    return answer(emberStatus.success);
  },
  /** Type, channels and duration of an energy scan. Other types find networks, which nobody asks for here. */
  [frameId.startScan]: ({ radio, afterwards }, request) => {
    const [type, channels] = [request.u8(), channelsOf(request.u32())];
    if (type !== energyScan || request.u8() > 14) return wire().u32(slStatus.invalidParameter);
    afterwards(() => radio.scanEnergy(channels));
    return wire().u32(slStatus.ok);
  },
  [frameId.stopScan]: () => answer(emberStatus.success),
  /** EmberInitialSecurityState */
  [frameId.setInitialSecurityState]: ({ radio }, request) => {
    const bitmask = request.u16();
    const [trustCenterKey, networkKey] = [request.bytes(16), request.bytes(16)];
    const sequence = request.u8();
    if (radio.network) return answer(emberStatus.invalidCall);
    const keepsCounters = (bitmask & noFrameCounterReset) !== 0;
    radio.security = { networkKey, trustCenterKey, sequence, keepsCounters };
    return answer(emberStatus.success);
  },
};

/** EmberNetworkParameters. The extended PAN id has its least significant byte first. */
function readParameters(request: ByteReader): Parameters {
  const extendedPanId = hexOf(request.bytes(8).toReversed());
  const panId = request.u16();
  const [txPower, channel] = [request.i8(), request.u8()];
  // Skip the join method and the network manager.
  request.bytes(3);
  return { extendedPanId, panId, txPower, channel, updateId: request.u8(), channels: request.u32() };
}

function writeParameters({ network, memory, txPower }: EmberRadio): ByteWriter {
  if (!network) return answer(emberStatus.notJoined).u8(0).bytes(new Uint8Array(20));
  const { updateId, channels } = memory.management;
  const head = answer(emberStatus.success).u8(nodeType.coordinator);
  const identity = head.bytes(fromHex(network.extendedPanId).toReversed()).u16(network.panId);
  return identity.u8(txPower, network.channel, 0).u16(0).u8(updateId).u32(channels);
}
