/** The part of WebAssembly in use here, which Node's types leave out. */
interface MemoryConstructor {
  new (size: { initial: number; maximum: number; shared: true }): { readonly buffer: SharedArrayBuffer };
}

const wasmPageBytes = 65_536;
const { Memory } = (globalThis as unknown as { WebAssembly: { Memory: MemoryConstructor } }).WebAssembly;

/**
 * Allocates zeros that begin at a page boundary, as direct writes and reads require. A Buffer may begin anywhere.
 * @param bytes a multiple of 65,536
 */
export function alignedMemory(bytes: number): SharedArrayBuffer {
  const pages = bytes / wasmPageBytes;
  return new Memory({ initial: pages, maximum: pages, shared: true }).buffer;
}
