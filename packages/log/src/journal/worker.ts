// The journal's thread. It writes frames and waits for their flushes, so that these block neither the event loop
// nor libuv's thread pool.
import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { serveWrites, type Shared } from "./turns.ts";

serveWrites(workerData as Shared, writeSync);
