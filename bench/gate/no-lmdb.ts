/** Stands in for lmdb where kernels are bundled to be counted: they keep their log in memory. */
export function open(): never {
  throw new Error("a counted kernel writes no file");
}
