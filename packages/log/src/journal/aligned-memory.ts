/** The part of WebAssembly that is used here; Node's types leave it out. */
interface MemoryConstructor {
  new (size: { initial: number; maximum: number; shared: true }): { readonly buffer: SharedArrayBuffer };
}

const wasmPageBytes = 65_536;
const { Memory } = (globalThis as unknown as { WebAssembly: { Memory: MemoryConstructor } }).WebAssembly;

/**
 * Zeros that begin at a page, as direct writes and reads demand: a Buffer begins anywhere.
 * @param bytes a multiple of 65,536
 */
export function alignedMemory(bytes: number): SharedArrayBuffer {
  const pages = bytes / wasmPageBytes;
  return new Memory({ initial: pages, maximum: pages, shared: true }).buffer;
}
