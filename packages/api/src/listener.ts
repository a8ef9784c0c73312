/** Where requests come in: the local network, the cloud's relay, or the socket of the `ledge` command. */
export type Listener = "local" | "remote" | "console";
