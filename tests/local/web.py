"""A small web server on loopback that plays a registry, and can fail as real ones do."""

import ssl
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

from trustme import LeafCert


@dataclass(slots=True)
class Answer:
    """What a path is answered with; `sent` bytes of `body` at most, then the connection breaks."""

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    sent: int | None = None
    until: Event | None = None
    """The body is held back until this is set."""


class Web:
    """`answers` maps a path to the answers of its first, second … request; the last one stays. `asked` counts."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.answers: dict[str, list[Answer]] = {}
        self.asked: Counter[str] = Counter()

    def serve(self, path: str, *answers: Answer | bytes) -> None:
        self.answers[path] = [each if isinstance(each, Answer) else Answer(each) for each in answers]

    def answer(self, path: str) -> Answer:
        answers = self.answers.get(path, [Answer(b"", 404)])
        number = self.asked[path]
        self.asked[path] += 1
        return answers[min(number, len(answers) - 1)]


@contextmanager
def web(certificate: LeafCert | None = None) -> Iterator[Web]:
    """Serves until the block ends; with a certificate, over TLS."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate.configure_cert(context)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    played = Web(f"{'https' if certificate else 'http'}://127.0.0.1:{server.server_address[1]}")
    server.RequestHandlerClass = _handler(played)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield played
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(played: Web) -> Callable[..., BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = played.answer(self.path.split("?")[0])
            self._head(answer)
            if answer.until:
                answer.until.wait(30)
            self.wfile.write(answer.body[: answer.sent])

        def do_HEAD(self) -> None:
            path = self.path.split("?")[0]
            self._head(played.answers.get(path, [Answer(b"", 404)])[0])

        def _head(self, answer: Answer) -> None:
            self.send_response(answer.status)
            for name, value in {"Content-Length": str(len(answer.body)), **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's
            """The test says what is of interest."""

    return Handler
