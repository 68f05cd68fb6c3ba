"""A client that shows answers as they are on the wire, in one line: :1 #t +OK $text ,0.5 _ -ERR ... [array] {map}."""
import socket

TYPES = {b"*": "[]", b"~": "[]", b"%": "{}", b">": "[]"}


class Wire:
    def __init__(self, path, protocol):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.file = self.socket.makefile("rb")
        self.ask("HELLO", str(protocol))

    def close(self):
        self.file.close()
        self.socket.close()

    def ask(self, *words):
        self.send(*words)
        return self.read()

    def send(self, *words):
        words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        self.socket.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words))

    def read(self):
        line = self.file.readline()[:-2]
        sign, rest = line[:1], line[1:]
        if sign in TYPES:
            if rest == b"-1":
                return "_"
            count = int(rest) * (2 if sign == b"%" else 1)
            opens, closes = TYPES[sign]
            return opens + " ".join(self.read() for _ in range(count)) + closes
        if sign in b"$=" and rest == b"-1":
            return "_"
        if sign in b"$=":
            text = self.file.read(int(rest) + 2)[:-2]
            return "$" + text.decode("latin-1")
        return line.decode("latin-1")
