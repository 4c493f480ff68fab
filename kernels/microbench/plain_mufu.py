#!/usr/bin/env python3
"""Sets the factor before MUFU.SIN and MUFU.COS of a cubin of mufu.cu to 1, so that the kernels show the unit itself.

Usage: plain_mufu.py CUBIN. Fails unless exactly two instructions multiply by 1 / (2 pi).
"""
import struct
import sys

INSTRUCTION = 16          # bytes; an immediate is the second word
TURNS = 0x3E22F983        # 1 / (2 pi)
ONE = 0x3F800000
FMUL_IMMEDIATE = 0x820    # opcode field, bits 0 to 11


def main():
    path = sys.argv[1]
    with open(path, "rb") as file:
        image = bytearray(file.read())
    changed = 0
    for at in range(0, len(image) - INSTRUCTION + 1, INSTRUCTION // 2):
        first, second = struct.unpack_from("<II", image, at)
        if second == TURNS and first & 0xFFF == FMUL_IMMEDIATE:
            struct.pack_into("<I", image, at + 4, ONE)
            changed += 1
    if changed != 2:
        sys.exit(f"{path}: {changed} multiplications by 1 / (2 pi), expected 2")
    with open(path, "wb") as file:
        file.write(image)


if __name__ == "__main__":
    main()
