/** The command classes that the hub knows, by their numbers (SDS13548). */
export const commandClass = {
  binarySwitch: 0x25,
  multilevelSwitch: 0x26,
  binarySensor: 0x30,
  multilevelSensor: 0x31,
  meter: 0x32,
  color: 0x33,
  mode: 0x40,
  operatingState: 0x42,
  setpoint: 0x43,
  centralScene: 0x5b,
  doorLock: 0x62,
  notification: 0x71,
  lock: 0x76,
  sound: 0x79,
  battery: 0x80,
  indicator: 0x87,
} as const;
