import { wire } from "../bytes.ts";
import { answer, type Commands } from "./commands.ts";
import {
  configId,
  counterCount,
  emberStatus,
  ezspStatus,
  frameId,
  protocolVersion,
  valueId,
} from "./ezsp.ts";

/** EmberVersion: build, major, minor, patch, special, type (0xaa: general availability). */
const versionInfo = wire().u16(300).u8(7, 4, 4, 0, 0xaa).done();
const stackVersion = 0x7440;
const meshStack = 2;
/** The value that says under which extended value id an endpoint's flags are. */
const endpointFlags = 0;

/** The stick itself: its version, settings and endpoints. */
export const settingCommands: Commands = {
  [frameId.version]: () => wire().u8(protocolVersion, meshStack).u16(stackVersion),
  [frameId.nop]: () => wire(),
  [frameId.getConfigurationValue]: ({ radio, memory }, request) => {
    const id = request.u8();
    const value = id === configId.keyTableSize ? memory.linkKeyRoom : radio.configuration.get(id);
    return answer(value === undefined ? ezspStatus.invalidId : ezspStatus.success).u16(value ?? 0);
  },
  /** Only before the network is up. */
  [frameId.setConfigurationValue]: ({ radio }, request) => {
    const [id, value] = [request.u8(), request.u16()];
    if (radio.network) return answer(ezspStatus.invalidCall);
    radio.configuration.set(id, value);
    return answer(ezspStatus.success);
  },
  [frameId.setPolicy]: ({ radio }, request) => {
    radio.policies.set(request.u8(), request.u8());
    return answer(ezspStatus.success);
  },
  [frameId.getPolicy]: ({ radio }, request) => {
    const decision = radio.policies.get(request.u8());
    return answer(decision === undefined ? ezspStatus.invalidId : ezspStatus.success).u8(decision ?? 0);
  },
  [frameId.getValue]: ({ radio, memory }, request) => {
    const id = request.u8();
    const own: Readonly<Record<number, Uint8Array>> = {
      [valueId.versionInfo]: versionInfo,
      [valueId.keyStorageVersion]: Uint8Array.of(0),
      [valueId.nwkFrameCounter]: wire().u32(memory.frameCounter).done(),
    };
    const value = own[id] ?? radio.values.get(id);
    if (!value) return answer(ezspStatus.invalidId).u8(0);
    return answer(ezspStatus.success).u8(value.length).bytes(value);
  },
  [frameId.setValue]: ({ radio, memory }, request) => {
    const id = request.u8();
    const value = request.bytes(request.u8());
    if (id === valueId.nwkFrameCounter) {
      if (radio.network || value.length !== 4) return answer(ezspStatus.invalidCall);
      memory.frameCounter = Buffer.from(value).readUInt32LE(0);
    } else radio.values.set(id, value);
    return answer(ezspStatus.success);
  },
  [frameId.getExtendedValue]: ({ radio }, request) => {
    const [id, endpoint] = [request.u8(), request.u32()];
    const isThere = id === endpointFlags && radio.endpoints.some((other) => other.id === endpoint);
    return isThere ? answer(ezspStatus.success).u8(2).u16(1) : answer(ezspStatus.invalidId).u8(2).u16(0);
  },
  [frameId.addEndpoint]: ({ radio }, request) => {
    const id = request.u8();
    const [profile, device] = [request.u16(), request.u16()];
    // Skip the version.
    request.u8();
    const [inputs, outputs] = [request.u8(), request.u8()];
    const list = (length: number): readonly number[] => Array.from({ length }, () => request.u16());
    const [input, output] = [list(inputs), list(outputs)];
    if (radio.network || radio.endpoints.some((other) => other.id === id))
      return answer(ezspStatus.invalidCall);
    radio.endpoints.push({ id, profile, device, input, output });
    return answer(ezspStatus.success);
  },
  [frameId.setManufacturerCode]: ({ radio }, request) => {
    radio.manufacturerCode = request.u16();
    return wire();
  },
  [frameId.setConcentrator]: () => answer(emberStatus.success),
  /** Returns the time until the next route request. */
  [frameId.setSourceRouteDiscoveryMode]: () => wire().u32(5000),
  [frameId.setRadioCcaMode]: () => answer(emberStatus.success),
  [frameId.readCounters]: ({ radio }) => wire().u16(...radio.counters),
  [frameId.readAndClearCounters]: ({ radio }) => {
    const read = wire().u16(...radio.counters);
    radio.counters.splice(0, counterCount, ...Array.from({ length: counterCount }, () => 0));
    return read;
  },
  [frameId.resetNode]: (stick) => {
    stick.afterwards(() => stick.reset());
    return wire();
  },
};
