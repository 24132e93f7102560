"""The application in process, over real sockets: for clients that are programs of their own."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import uvicorn

from server.app import App
from server.rest.protocol import HttpProtocol


@asynccontextmanager
async def served(app: App) -> AsyncIterator[int]:
    """Yields the port of 127.0.0.1 where the application answers."""
    # Without the protocol's number asyncio leaves Nagle's algorithm on, and each answer takes 40 ms longer.
    with socket.socket(proto=socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app.http, http=HttpProtocol, log_config=None, lifespan="off"))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.serve, [listening])
            yield int(listening.getsockname()[1])
            server.should_exit = True
