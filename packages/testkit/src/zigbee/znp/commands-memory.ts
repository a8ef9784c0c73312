import { wire, type ByteWriter } from "../bytes.ts";
import type { Commands } from "./commands.ts";
import { status } from "./znp.ts";

/** The room for a value in the payload of an answer. */
const longestValue = 248;

const answer = (code: number): ByteWriter => wire().u8(code);

/** osalNv addresses items by one number; nv by system, item and sub-item. */
export const memoryCommands: Commands = {
  /** osalNvItemInit: creates an item if it does not exist. */
  0x07: ({ memory: { nvram } }, request) => {
    const id = request.u16();
    const length = request.u16();
    const initial = request.bytes(request.u8());
    if (nvram.item(id)) return answer(status.success);
    const value = new Uint8Array(length).fill(0xff);
    value.set(initial.slice(0, length));
    nvram.setItem(id, value);
    return answer(status.itemInitialized);
  },
  /** osalNvRead */
  0x08: ({ memory: { nvram } }, request) => read(nvram.item(request.u16()), request.u8()),
  /** osalNvWrite */
  0x09: ({ memory: { nvram } }, request) => {
    const id = request.u16();
    const offset = request.u8();
    return answer(write(nvram.item(id), offset, request.bytes(request.u8()), (v) => nvram.setItem(id, v)));
  },
  /** osalNvDelete: the length must be right. */
  0x12: ({ memory: { nvram } }, request) => {
    const id = request.u16();
    const value = nvram.item(id);
    if (!value) return answer(status.itemInitialized);
    if (value.length !== request.u16()) return answer(status.badLength);
    nvram.deleteItem(id);
    return answer(status.success);
  },
  /** osalNvLength */
  0x13: ({ memory: { nvram } }, request) => wire().u16(nvram.item(request.u16())?.length ?? 0),
  /** osalNvReadExt */
  0x1c: ({ memory: { nvram } }, request) => read(nvram.item(request.u16()), request.u16()),
  /** osalNvWriteExt */
  0x1d: ({ memory: { nvram } }, request) => {
    const id = request.u16();
    const offset = request.u16();
    return answer(write(nvram.item(id), offset, request.bytes(request.u16()), (v) => nvram.setItem(id, v)));
  },
  /** nvCreate */
  0x30: ({ memory: { nvram } }, request) => {
    const [system, item, sub, length] = [request.u8(), request.u16(), request.u16(), request.u32()];
    if (nvram.get(item, sub, system)) return answer(status.itemFailed);
    nvram.set(item, sub, new Uint8Array(length).fill(0xff), system);
    return answer(status.success);
  },
  /** nvDelete */
  0x31: ({ memory: { nvram } }, request) => {
    const [system, item, sub] = [request.u8(), request.u16(), request.u16()];
    return answer(nvram.delete(item, sub, system) ? status.success : status.itemFailed);
  },
  /** nvLength */
  0x32: ({ memory: { nvram } }, request) => {
    const [system, item, sub] = [request.u8(), request.u16(), request.u16()];
    return wire().u32(nvram.get(item, sub, system)?.length ?? 0);
  },
  /** nvRead */
  0x33: ({ memory: { nvram } }, request) => {
    const [system, item, sub] = [request.u8(), request.u16(), request.u16()];
    const offset = request.u16();
    return read(nvram.get(item, sub, system), offset, request.u8());
  },
  /** nvWrite */
  0x34: ({ memory: { nvram } }, request) => {
    const [system, item, sub] = [request.u8(), request.u16(), request.u16()];
    const offset = request.u16();
    const value = request.bytes(request.u8());
    const set = (changed: Uint8Array): void => nvram.set(item, sub, changed, system);
    return answer(write(nvram.get(item, sub, system), offset, value, set));
  },
};

function read(value: Uint8Array | undefined, offset: number, length: number = longestValue): ByteWriter {
  if (!value || offset > value.length) return wire().u8(status.itemFailed, 0);
  const part = value.slice(offset, offset + Math.min(length, longestValue));
  return wire().u8(status.success, part.length).bytes(part);
}

function write(
  value: Uint8Array | undefined,
  offset: number,
  part: Uint8Array,
  set: (value: Uint8Array) => void,
): number {
  if (!value || offset + part.length > value.length) return status.itemFailed;
  const changed = value.slice();
  changed.set(part, offset);
  set(changed);
  return status.success;
}
