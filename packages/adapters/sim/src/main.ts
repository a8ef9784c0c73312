import { runAdapter } from "@ledge/port";
import { createAdapter } from "./index.ts";

runAdapter(createAdapter);
