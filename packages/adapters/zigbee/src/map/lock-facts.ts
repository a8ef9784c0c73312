/** Attributes that say how many codes a lock keeps, and how long they are. */
export const codeFacts = ["numOfPinUsersSupported", "minPinLen", "maxPinLen"] as const;
