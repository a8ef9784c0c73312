import type { Upcasters } from "./event.ts";

/** Every upcaster of every aggregate, keyed `<type>@<version it reads>`. None yet: all events are version 1. */
export const upcasters: Upcasters = {};
