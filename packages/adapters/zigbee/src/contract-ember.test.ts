import { stickContract } from "./test-contract.ts";

stickContract("ember", ["in process"]);
