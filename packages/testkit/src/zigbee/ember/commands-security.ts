import { wire, type ByteWriter } from "../bytes.ts";
import { answer, type Commands } from "./commands.ts";
import { emberStatus, frameId, keyType, slStatus, token } from "./ezsp.ts";
import type { EmberMemory } from "./memory.ts";

const noKey = new Uint8Array(16);

/** Keys and tokens: what a backup of the coordinator consists of. */
export const securityCommands: Commands = {
  /** sl_zb_sec_man_context_t: type and index of a key, and what else may name it. */
  [frameId.exportKey]: ({ memory }, request) => {
    const [type, index] = [request.u8(), request.u8()];
    const key = keyOf(memory, type, index);
    return wire()
      .bytes(key ?? noKey)
      .u32(key ? slStatus.ok : slStatus.notFound);
  },
  [frameId.getNetworkKeyInfo]: ({ memory, radio }) => {
    const isSet = radio.network ? 1 : 0;
    return wire().u32(slStatus.ok).u8(isSet, 0, memory.keySequence, 0).u32(memory.frameCounter);
  },
  [frameId.importTransientKey]: ({ radio }) => {
    radio.hasTransientKey = true;
    return wire().u32(slStatus.ok);
  },
  [frameId.clearTransientLinkKeys]: ({ radio }) => {
    radio.hasTransientKey = false;
    return wire();
  },
  [frameId.importLinkKey]: ({ memory }, request) => {
    const index = request.u8();
    const link = { ieee: request.ieee(), key: request.bytes(16) };
    return wire().u32(memory.setLinkKey(index, link) ? slStatus.ok : slStatus.invalidIndex);
  },
  [frameId.exportLinkKeyByIndex]: ({ memory }, request) => {
    const link = memory.linkKey(request.u8());
    const { ieee = "0x0000000000000000", key = noKey } = link ?? {};
    // Skip the metadata: flags, two counters, and the time to live.
    const found = wire().ieee(ieee).bytes(key).u16(0).u32(0, 0).u16(0);
    return found.u32(link ? slStatus.ok : slStatus.notFound);
  },
  [frameId.eraseKeyTableEntry]: ({ memory }, request) =>
    answer(memory.setLinkKey(request.u8(), null) ? emberStatus.success : emberStatus.indexOutOfRange),
  [frameId.clearKeyTable]: ({ memory }) => {
    memory.clearLinkKeys();
    return answer(emberStatus.success);
  },
  [frameId.getTokenCount]: ({ memory }) => wire().u8(memory.index.length),
  /** Key, whether it is a counter, whether it is indexed, size and number of entries. */
  [frameId.getTokenInfo]: ({ memory }, request) => {
    const [key, size, entries] = memory.index[request.u8()] ?? [0, 0, 0];
    const flags = [key === token.nonceCounter ? 1 : 0, entries > 1 ? 1 : 0];
    return answer(entries === 0 ? emberStatus.indexOutOfRange : emberStatus.success)
      .u32(key)
      .u8(...flags, size, entries);
  },
  [frameId.getTokenData]: ({ memory }, request) => tokenData(memory.read(request.u32(), request.u32())),
  [frameId.setTokenData]: ({ memory }, request) => {
    const [key, entry] = [request.u32(), request.u32()];
    const value = request.bytes(request.u32());
    const known = memory.read(key, entry);
    if (known?.length !== value.length) return answer(emberStatus.badArgument);
    memory.set(key, value, entry);
    return answer(emberStatus.success);
  },
};

function keyOf(memory: EmberMemory, type: number, index: number): Uint8Array | undefined {
  if (type === keyType.network) return index === 0 ? memory.get(token.keys)?.slice(0, 16) : undefined;
  if (type === keyType.trustCenterLink) return memory.trustCenterKey;
  return type === keyType.appLink ? memory.linkKey(index)?.key : undefined;
}

function tokenData(value: Uint8Array | undefined): ByteWriter {
  if (!value) return answer(emberStatus.badArgument).u32(0);
  return answer(emberStatus.success).u32(value.length).bytes(value);
}
