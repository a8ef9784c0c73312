/** Ours in a broker that others use too. */
const prefix = "ledge";

/** Returns the subject of messages of a topic. A topic is one token of it, whatever characters it has. */
export function messagesOf(topic: string): string {
  return `${prefix}.messages.${tokenOf(topic)}`;
}

/** Returns the subject of requests to the server of a topic. */
export function requestsTo(topic: string): string {
  return `${prefix}.requests.${tokenOf(topic)}`;
}

/** Dots part tokens, and a star stands for any one. */
function tokenOf(topic: string): string {
  return encodeURIComponent(topic).replaceAll(".", "%2E").replaceAll("*", "%2A");
}
