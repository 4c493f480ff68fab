"""Reads what a launch must know from a cubin: registers, stack, static shared memory and the parameters (KPARAM_INFO).

A cubin is a 64-bit little-endian ELF; `.nv.info` and `.nv.info.<kernel>` are lists of records {u8 format, u8 attribute,
u16 value or size, payload}. Attribute numbers as observed in cubins of ptxas 12.8 to 13.0.
"""

import struct
from dataclasses import dataclass, field

FORMAT_SIZED = 4
ATTRIBUTE_KPARAM_INFO = 0x17
ATTRIBUTE_KPARAM_INFO_V2 = 0x45
ATTRIBUTE_REGCOUNT = 0x2F
ATTRIBUTE_FRAME_SIZE = 0x11
RESERVED_SHARED_BYTES = 0x400


@dataclass
class Parameter:
    ordinal: int
    offset: int
    size: int


@dataclass
class CubinInfo:
    kernel: str
    registers: int = 0
    stack_bytes: int = 0
    static_shared_bytes: int = 0
    parameters: list = field(default_factory=list)
    text: bytes = b""


def _sections(data):
    if data[:4] != b"\x7fELF":
        raise ValueError("not an ELF file")
    offset = struct.unpack_from("<Q", data, 0x28)[0]
    size, count, names_index = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
    names = data[headers[names_index][4] :]
    for header in headers:
        name = names[header[0] : names.index(b"\0", header[0])].decode()
        is_nobits = header[1] == 8
        yield name, header, b"" if is_nobits else data[header[4] : header[4] + header[5]]


def _records(section):
    position = 0
    while position + 4 <= len(section):
        kind, attribute, size = struct.unpack_from("<BBH", section, position)
        position += 4
        payload = b""
        if kind == FORMAT_SIZED:
            payload = section[position : position + size]
            position += size
        yield attribute, payload


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    sections = list(_sections(data))
    kernels = [name[len(".text.") :] for name, _, _ in sections if name.startswith(".text.")]
    if len(kernels) != 1:
        raise ValueError(f"{path}: {len(kernels)} kernels, expected one")
    info = CubinInfo(kernels[0])
    symbol = None
    for name, header, body in sections:
        if name == f".text.{info.kernel}":
            info.text = body
            symbol = header[7] & 0xFFFFFF
        if name == f".nv.shared.{info.kernel}":
            info.static_shared_bytes = header[5] - RESERVED_SHARED_BYTES
        if name != f".nv.info.{info.kernel}":
            continue
        for attribute, payload in _records(body):
            if attribute in (ATTRIBUTE_KPARAM_INFO, ATTRIBUTE_KPARAM_INFO_V2):
                _, offset_ordinal, flags = struct.unpack_from("<III", payload)
                info.parameters.append(Parameter(offset_ordinal & 0xFFFF, offset_ordinal >> 16, flags >> 18))
    for name, _, body in sections:
        if name != ".nv.info":
            continue
        for attribute, payload in _records(body):
            if attribute == ATTRIBUTE_REGCOUNT and struct.unpack_from("<I", payload)[0] == symbol:
                info.registers = struct.unpack_from("<I", payload, 4)[0]
            if attribute == ATTRIBUTE_FRAME_SIZE and struct.unpack_from("<I", payload)[0] == symbol:
                info.stack_bytes = struct.unpack_from("<I", payload, 4)[0]
    info.parameters.sort(key=lambda parameter: parameter.ordinal)
    return info
