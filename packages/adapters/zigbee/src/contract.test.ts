import { stickContract } from "./test-contract.ts";

stickContract("zstack");
