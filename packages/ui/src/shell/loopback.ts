/** Whether a host of an address means the very device that asks (RFC 6761), so that it leads others elsewhere. */
export function isLoopback(host: string): boolean {
  return /^(?:127\.[\d.]+|\[::1\]|(?:.+\.)?localhost)$/.test(host);
}
