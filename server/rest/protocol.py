"""HTTP itself: uvicorn's protocol, with the one thing changed that it would tell in a form of its own."""

from http import HTTPStatus

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from server.rest.errors import MALFORMED_REQUEST, answer


# Whichever parser is installed: a class that is chosen at run time.
class HttpProtocol(AutoHTTPProtocol):  # type: ignore[misc,valid-type]
    """Tells what cannot be read as HTTP in the form of all errors."""

    def send_400_response(self, _message: str) -> None:
        code, message = MALFORMED_REQUEST
        told = answer(HTTPStatus.BAD_REQUEST, "Malformed request", message, code, {"Connection": "close"})
        head = "".join(f"{name.decode()}: {value.decode()}\r\n" for name, value in told.raw_headers)
        self.transport.write(f"HTTP/1.1 400 Bad Request\r\n{head}\r\n".encode() + bytes(told.body))
        self.transport.close()
