export { Flood, type Flooded } from "./flood.ts";
export { visit, type Visit } from "./visitor.ts";
