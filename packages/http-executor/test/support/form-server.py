"""Serves files of a folder, and shows forms as Python's own parser reads them."""
import sys
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl


class Handler(SimpleHTTPRequestHandler):
    def do_POST(self):
        form = self.rfile.read(int(self.headers["content-length"])).decode()
        pairs = parse_qsl(form, keep_blank_values=True, strict_parsing=True)
        shown = "".join(f"{name} = {value!r}\n" for name, value in pairs).encode()
        self.send_response(200)
        self.send_header("content-type", "text/plain; charset=utf-8")
        self.send_header("content-length", str(len(shown)))
        self.end_headers()
        self.wfile.write(shown)

    def guess_type(self, path):
        types = {"latin1": "text/plain; charset=iso-8859-1", "sjis": "text/plain; charset=shift_jis"}
        return types.get(path.rsplit(".", 1)[-1]) or super().guess_type(path)

    def log_message(self, *args):
        pass


print("ready", flush=True)
ThreadingHTTPServer(
    ("127.0.0.1", int(sys.argv[1])), lambda *args: Handler(*args, directory=sys.argv[2])
).serve_forever()
