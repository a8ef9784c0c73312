import { stickContract } from "./test-contract.ts";

stickContract("deconz", ["in process"]);
