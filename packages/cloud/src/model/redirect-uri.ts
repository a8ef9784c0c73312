/**
 * Returns why an address is no place to send a person and their code to; undefined when it is one: https, http
 * to this machine (RFC 8252 7.3), or a scheme of an app's own with a dot (RFC 8252 7.1).
 */
export function redirectProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return "is not an address";
  if (url.hash !== "" || text.includes("#")) return "must have no fragment";
  if (url.username !== "" || url.password !== "") return "must have no user name";
  if (/[\s\\*]/.test(text)) return "has a character that no address may have";
  if (url.protocol === "https:") return isLoopback(url) ? "must be http to reach this machine" : undefined;
  if (url.protocol === "http:") return isLoopback(url) ? undefined : "must be https";
  return url.protocol.includes(".") ? undefined : "must be https, or a scheme with a dot";
}

/** Returns whether an address belongs to an app on the person's own device. */
export function isNative(text: string): boolean {
  return URL.parse(text)?.protocol !== "https:";
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "127.0.0.1" || hostname === "[::1]";
}
