"""What is to be seen in a screenshot: png.py FILE #rrggbb... prints its size, then how many pixels have each colour."""
import struct
import sys
import zlib


def rows(path):
    """Width, bytes per pixel, and the unfiltered rows of an 8-bit RGB or RGBA image."""
    data, at, packed = open(path, "rb").read(), 8, b""
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + n]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            assert depth == 8, depth
        if kind == b"IDAT":
            packed += body
        at += 12 + n
    size = {2: 3, 6: 4}[colour]
    raw, stride = zlib.decompress(packed), width * size
    before, result = bytearray(stride), []
    for y in range(height):
        start = y * (stride + 1)
        kind, row = raw[start], bytearray(raw[start + 1:start + 1 + stride])
        for i in range(stride):
            left = row[i - size] if i >= size else 0
            up, corner = before[i], before[i - size] if i >= size else 0
            if kind == 1:
                row[i] = (row[i] + left) & 255
            elif kind == 2:
                row[i] = (row[i] + up) & 255
            elif kind == 3:
                row[i] = (row[i] + (left + up) // 2) & 255
            elif kind == 4:
                p = left + up - corner
                near = min((abs(p - left), 0, left), (abs(p - up), 1, up), (abs(p - corner), 2, corner))[2]
                row[i] = (row[i] + near) & 255
            else:
                break
        result.append(row)
        before = row
    return width, size, result


width, size, image = rows(sys.argv[1])
print(width, len(image))
wanted = {c: bytes.fromhex(c[1:]) for c in sys.argv[2:]}
seen = dict.fromkeys(wanted, 0)
for row in image:
    for name, colour in wanted.items():
        at = row.find(colour)
        while at >= 0:
            if at % size == 0:
                seen[name] += 1
            at = row.find(colour, at + 1)
for name, n in seen.items():
    print(name, n)
