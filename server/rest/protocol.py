"""uvicorn's HTTP protocol, with the answer to malformed requests in the form of all errors."""

from http import HTTPStatus

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from server.rest.errors import MALFORMED_REQUEST, answer


# The base class depends on the installed parser.
class HttpProtocol(AutoHTTPProtocol):  # type: ignore[misc,valid-type]
    """Answers malformed requests in the form of all errors."""

    def send_400_response(self, _message: str) -> None:
        code, message = MALFORMED_REQUEST
        response = answer(HTTPStatus.BAD_REQUEST, "Malformed request", message, code, {"Connection": "close"})
        head = "".join(f"{name.decode()}: {value.decode()}\r\n" for name, value in response.raw_headers)
        self.transport.write(f"HTTP/1.1 400 Bad Request\r\n{head}\r\n".encode() + bytes(response.body))
        self.transport.close()
