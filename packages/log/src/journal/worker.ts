// The journal's thread: it writes frames and waits for their flushes, so that the event loop does not, and
// neither stands in the queue of libuv's threads.
import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { serveWrites, type Shared } from "./turns.ts";

serveWrites(workerData as Shared, writeSync);
