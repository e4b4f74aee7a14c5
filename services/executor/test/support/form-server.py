"""A form server and a file server, both of Python's standard library: PORT FOLDER."""

import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl

CHARSETS = {"latin1": "iso-8859-1", "utf16": "utf-16", "sjis": "shift_jis", "koi8": "koi8-r"}


class Handler(SimpleHTTPRequestHandler):
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        f".{ending}": f"text/plain; charset={charset}" for ending, charset in CHARSETS.items()
    }

    def do_POST(self):
        """Answers a form with a line of text for each field, as Python reads them."""
        sent = self.rfile.read(int(self.headers["content-length"])).decode("ascii")
        fields = parse_qsl(sent, keep_blank_values=True, strict_parsing=True)
        answer = "".join(f"{name} = {value!r}\n" for name, value in fields).encode()
        self.send_response(200)
        self.send_header("content-type", "text/plain")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


port, folder = sys.argv[1:]
ThreadingHTTPServer(("127.0.0.1", int(port)), partial(Handler, directory=folder)).serve_forever()
