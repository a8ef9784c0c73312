"""A Modbus slave to try a client against, made of pymodbus (Debian: python3-pymodbus, python3-serial-asyncio).

    /usr/bin/python3 slave.py tcp PORT          (0: any free port)
    /usr/bin/python3 slave.py rtuOverTcp PORT   (frames of a serial line, over TCP)
    /usr/bin/python3 slave.py rtu PATH [BAUD]

It names itself (function 43/14): maker Ledge, product PLANT, revision 1.2, model "Test plant". It answers as units 1 to 4; each has coils, discrete inputs, holding and input registers 0 to 999, all 0.
Lines on stdin change how it behaves; the end of stdin ends it. One that it cannot obey, and a port or path that it
cannot open, it names on stderr and ends with status 1:

    set TABLE REGISTER VALUE [UNIT]    TABLE: coil, discrete, holding, input; VALUE: 0..65535, may be a list 1,2,3
    sleep SECONDS                      takes so long over each request, one after the other; 0: none
    exception CODE [TABLE REGISTER]    answers all requests, or those of a register, with an exception; 0: none

It prints `ready PORT-or-PATH`, `done` for each line it has taken, and `wrote UNIT TABLE REGISTER VALUE` for
each value that a client writes.
"""
import asyncio
import logging
import os
import sys
import threading
import time

from pymodbus.datastore import ModbusSequentialDataBlock, ModbusServerContext, ModbusSlaveContext
from pymodbus.device import ModbusDeviceIdentification
from pymodbus.pdu import ExceptionResponse
from pymodbus.server.async_io import ModbusSerialServer, ModbusTcpServer
from pymodbus.transaction import ModbusRtuFramer, ModbusSocketFramer

TABLES = {"coil": "c", "discrete": "d", "holding": "h", "input": "i"}
IDENTITY = ModbusDeviceIdentification(info={0: "Ledge", 1: "PLANT", 2: "1.2", 5: "Test plant"})
NAMES = {letter: name for name, letter in TABLES.items()}
SIZE = 1000


class Behaviour:
    """What is scripted over stdin."""

    sleep = 0.0
    exception_of_all = 0
    exception_of = {}
    of_this_request = 0


speaking = threading.Lock()


def say(*words):
    """Prints a line in one piece: two threads do so."""
    with speaking:
        sys.stdout.write(" ".join(map(str, words)) + "\n")
        sys.stdout.flush()


class Slave(ModbusSlaveContext):
    """A unit that tells what is written to it."""

    def __init__(self, unit):
        super().__init__(zero_mode=True, **{key: ModbusSequentialDataBlock(0, [0] * SIZE) for key in ("co", "di", "hr", "ir")})
        self.unit = unit

    def validate(self, fc_as_hex, address, count=1):
        if Behaviour.sleep > 0:
            # The whole slave sleeps: requests wait in its buffer and are answered in order, as by a slow device.
            time.sleep(Behaviour.sleep)
        table = NAMES[self.decode(fc_as_hex)]
        hit = [code for (name, register), code in Behaviour.exception_of.items() if name == table and address <= register < address + count]
        Behaviour.of_this_request = hit[0] if hit else Behaviour.exception_of_all
        return Behaviour.of_this_request > 0 or address + count <= SIZE

    def getValues(self, fc_as_hex, address, count=1):
        return [0] * count if Behaviour.of_this_request > 0 else super().getValues(fc_as_hex, address, count)

    def setValues(self, fc_as_hex, address, values):
        if Behaviour.of_this_request > 0:
            return
        super().setValues(fc_as_hex, address, values)
        for offset, value in enumerate(values):
            say("wrote", self.unit, NAMES[self.decode(fc_as_hex)], address + offset, int(value))


def refused(response):
    """Puts the scripted exception in the place of an answer."""
    code, Behaviour.of_this_request = Behaviour.of_this_request, 0
    if code == 0:
        return response, False
    refusal = ExceptionResponse(response.function_code & 0x7F, code)
    refusal.transaction_id = response.transaction_id
    refusal.unit_id = response.unit_id
    return refusal, False


def obey(line, units):
    word, *rest = line.split()
    if word == "set":
        table, register, values = rest[:3]
        unit = int(rest[3]) if len(rest) > 3 else 1
        units[unit].store[TABLES[table]].setValues(int(register), [int(value) for value in values.split(",")])
    elif word == "sleep":
        Behaviour.sleep = float(rest[0])
    elif word == "exception" and len(rest) == 1:
        Behaviour.exception_of_all = int(rest[0])
        Behaviour.exception_of = {}
    elif word == "exception":
        Behaviour.exception_of[(rest[1], int(rest[2]))] = int(rest[0])
    else:
        raise ValueError("unknown: " + line)
    say("done")


def listen(units, loop, ended):
    failure = None
    try:
        for line in sys.stdin:
            if line.strip():
                obey(line, units)
    except Exception as error:
        failure = error
    loop.call_soon_threadsafe(ended.set_result, failure)


async def serve(transport, where, *rest):
    units = {unit: Slave(unit) for unit in (1, 2, 3, 4)}
    context = ModbusServerContext(slaves=units, single=False)
    if transport != "rtu":
        framer = ModbusSocketFramer if transport == "tcp" else ModbusRtuFramer
        server = ModbusTcpServer(context, framer=framer, identity=IDENTITY, address=("127.0.0.1", int(where)), allow_reuse_address=True, response_manipulator=refused)
        serving = asyncio.ensure_future(server.serve_forever())
        await asyncio.wait([serving, server.serving], return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            serving.result()
        where = server.server.sockets[0].getsockname()[1]
    else:
        baudrate = int(rest[0]) if rest else 9600
        server = ModbusSerialServer(context, framer=ModbusRtuFramer, identity=IDENTITY, port=where, baudrate=baudrate, ignore_missing_slaves=True, response_manipulator=refused)
        await server.start()
        if server.transport is None:
            raise OSError("cannot open " + where)
        serving = asyncio.ensure_future(server.serve_forever())
    loop = asyncio.get_running_loop()
    ended = loop.create_future()
    threading.Thread(target=listen, args=(units, loop, ended), daemon=True).start()
    say("ready", where)
    await asyncio.wait([serving, ended], return_when=asyncio.FIRST_COMPLETED)
    failure = serving.exception() if serving.done() else ended.result()
    if failure is not None:
        raise failure


if __name__ == "__main__":
    # It reports each client that leaves as an error.
    logging.disable(logging.CRITICAL)
    status = 0
    try:
        asyncio.run(serve(*sys.argv[1:]))
    except Exception as error:
        sys.stderr.write("slave.py: " + str(error) + "\n")
        sys.stderr.flush()
        status = 1
    # The thread that reads stdin may still wait for a line.
    os._exit(status)
