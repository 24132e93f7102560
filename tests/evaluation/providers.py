"""A local HTTP server that answers as OpenAI's Responses API and as Anthropic's Messages API do."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pydantic_ai.models
from pydantic import SecretStr

from server.language_models.providers import Provider

KEYS = {"openai": "sk-openai-0123456789", "anthropic": "sk-ant-0123456789"}


@dataclass
class Played:
    """A provider's answer to a request: a score in its own form, or a failure."""

    score: float = 0.7
    status: int = 200


class Providers(ThreadingHTTPServer):
    """Answers as OpenAI's Responses API and as Anthropic's Messages API do, and stores the requests."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: dict[str, list[Played]] = {"/v1/responses": [Played()], "/v1/messages": [Played()]}
        self.asked: list[tuple[str, dict[str, str], dict[str, Any]]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def providers(self) -> dict[str, Provider]:
        return {
            "openai": Provider("OPENAI_API_KEY", SecretStr(KEYS["openai"]), f"{self.url}/v1"),
            "anthropic": Provider("ANTHROPIC_API_KEY", SecretStr(KEYS["anthropic"]), self.url),
        }


def _build_answer(path: str, body: dict[str, Any], played: Played) -> dict[str, Any]:
    if played.status != 200:
        return {"error": {"type": "server_error", "code": None, "message": "It failed."}, "type": "error"}
    name, score = body["tools"][0]["name"], {"score": played.score}
    if path == "/v1/messages":
        call = {"type": "tool_use", "id": "call_1", "name": name, "input": score}
        usage = {"input_tokens": 1, "output_tokens": 1}
        return {
            "id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": [call],
            "stop_reason": "tool_use", "stop_sequence": None, "usage": usage,
        }  # fmt: skip
    call = {
        "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": name, "arguments": json.dumps(score),
        "status": "completed",
    }  # fmt: skip
    return {
        "id": "resp_1", "object": "response", "created_at": 1, "model": body["model"], "output": [call],
        "status": "completed", "parallel_tool_calls": True, "tool_choice": "required", "tools": [],
        "error": None, "incomplete_details": None, "instructions": None, "metadata": {}, "temperature": 0.0,
    }  # fmt: skip


class Handler(BaseHTTPRequestHandler):
    server: Providers

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        path = self.path.split("?")[0]
        self.server.asked.append((path, {name.lower(): value for name, value in self.headers.items()}, body))
        answers = self.server.answers[path]
        played = answers.pop(0) if len(answers) > 1 else answers[0]
        content = json.dumps(_build_answer(path, body, played)).encode()
        self.send_response(played.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's word
        pass


@contextmanager
def serving() -> Iterator[Providers]:
    """Serves until the block ends; models may be asked meanwhile."""
    with Providers() as server, pydantic_ai.models.override_allow_model_requests(True):
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
