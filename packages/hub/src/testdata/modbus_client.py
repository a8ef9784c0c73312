"""A Modbus TCP client made of pymodbus, that does what lines on stdin say and prints what came of each.

    /usr/bin/python3 modbus_client.py HOST PORT

    read TABLE REGISTER COUNT [UNIT]       TABLE: coil, discrete, holding, input
    write TABLE REGISTER VALUE,VALUE...    with one value the function for one
    identify                               function 43/14

It prints the values with blanks between them, `ok`, `exception CODE`, or `lost` when the connection has ended.
"""
import sys

from pymodbus.client import ModbusTcpClient
from pymodbus.exceptions import ConnectionException
from pymodbus.mei_message import ReadDeviceInformationRequest


def carry_out(client, word, *rest):
    if word == "identify":
        answer = client.execute(ReadDeviceInformationRequest(read_code=2, unit=1))
        return answer if answer.isError() else " ".join(f"{id}={text.decode()}" for id, text in sorted(answer.information.items()))
    table, register = rest[0], int(rest[1])
    if word == "read":
        count, unit = int(rest[2]), int(rest[3]) if len(rest) > 3 else 1
        reads = {"coil": client.read_coils, "discrete": client.read_discrete_inputs, "holding": client.read_holding_registers, "input": client.read_input_registers}
        answer = reads[table](register, count, slave=unit)
        if answer.isError():
            return answer
        values = answer.bits[:count] if table in ("coil", "discrete") else answer.registers
        return " ".join(str(int(value)) for value in values)
    values = [int(value) for value in rest[2].split(",")]
    if table == "coil":
        answer = client.write_coil(register, values[0] == 1, slave=1) if len(values) == 1 else client.write_coils(register, [value == 1 for value in values], slave=1)
    else:
        answer = client.write_register(register, values[0], slave=1) if len(values) == 1 else client.write_registers(register, values, slave=1)
    return answer if answer.isError() else "ok"


client = ModbusTcpClient(sys.argv[1], port=int(sys.argv[2]), timeout=10)
client.connect()
for line in sys.stdin:
    try:
        outcome = carry_out(client, *line.split())
    except ConnectionException:
        outcome = "lost"
    if not isinstance(outcome, str):
        outcome = f"exception {outcome.exception_code}" if hasattr(outcome, "exception_code") else "lost"
    print(outcome, flush=True)
