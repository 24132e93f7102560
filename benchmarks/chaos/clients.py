"""Clients of both transports that write, replace and read until they are stopped, whatever happens to the service."""

import random
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import httpx2
from mcp import Client

from benchmarks.chaos.history import Call, History, build_text
from benchmarks.rest import door
from tests.interaction.service import Service

TARGETS = 4
"""Targets that all clients decide about."""
NAMES = 6
"""Names of entities that all clients add."""
_PATIENCE = 30.0
_PAUSE = 0.2


class ChaosClient:
    """What both transports share: choose a call, note it, connect again after an error."""

    def __init__(self, service: Service, history: History, number: int, seed: int) -> None:
        self.service = service
        self.history = history
        self.number = number
        self.random = random.Random(f"{seed} {number}")
        self.calls: list[Callable[[], Awaitable[None]]] = []

    async def run(self, stopped: anyio.Event) -> None:
        """Call until `stopped`; an error of the connection ends a call, not the client."""
        while not stopped.is_set():
            try:
                await self._connect_and_call(stopped)
            except (Exception, BaseExceptionGroup):  # noqa: BLE001 - a call that ended so is noted as unknown
                await anyio.sleep(_PAUSE)

    async def _connect_and_call(self, stopped: anyio.Event) -> None:
        raise NotImplementedError

    async def _call_until(self, stopped: anyio.Event) -> None:
        while not stopped.is_set():
            await self.random.choice(self.calls)()
            # So that a round has hundreds of calls, and not thousands that say the same.
            await anyio.sleep(self.random.random() * 0.1)


class ChaosAgent(ChaosClient):
    """A client of MCP."""

    def __init__(self, service: Service, history: History, number: int, seed: int) -> None:
        super().__init__(service, history, number, seed)
        self._client: Client | None = None
        self.calls = [
            self._decide,
            self._decide,
            self._ask,
            self._save,
            self._say,
            self._version,
            self._note,
            self._add,
        ]

    async def _connect_and_call(self, stopped: anyio.Event) -> None:
        async with self.service.client(self.history.namespace) as self._client:
            await self._call_until(stopped)

    async def _send(self, call: Call, tool: str, **arguments: Any) -> None:
        assert self._client is not None
        with anyio.fail_after(_PATIENCE):
            result = await self._client.call_tool(tool, arguments)
        call.settle(is_error=bool(result.is_error), answer=dict(result.structured_content or {}))

    async def _decide(self) -> None:
        """Record a decision where none is known to be in force, else replace the known one."""
        target, token = f"target {self.random.randrange(TARGETS)}", self.history.make_token()
        known = self.history.in_force.get(target)
        texts = {"title": f"Decision {token}", "target": target, "rationale": build_text(token)}
        with self.history.note("decision", target, token) as call:
            call.replaces = known
            if known is None:
                await self._send(call, "record_decision", **texts)
            else:
                await self._send(call, "supersede_decision", **texts, old_decision_ids=[known])
        if call.outcome == "ok":
            self.history.in_force[target] = call.answer["decision_id"]
        elif call.outcome == "refused":
            await self._learn(target)

    async def _learn(self, target: str) -> None:
        with self.history.note("list", target) as call:
            await self._send(call, "list_decisions", target=target)
        for decision in call.answer.get("decisions", []):
            self.history.in_force[target] = decision["id"]

    async def _ask(self) -> None:
        target = f"target {self.random.randrange(TARGETS)}"
        with self.history.note("strict", target) as call:
            await self._send(call, "search_decisions", query=f"decision about {target}", target=target, mode="strict")

    async def _save(self) -> None:
        token = self.history.make_token()
        with self.history.note("entry", token=token) as call:
            await self._send(call, "save_memory", text=build_text(token))

    async def _say(self) -> None:
        token = self.history.make_token()
        with self.history.note("message", token=token) as call:
            agent = f"agent {self.number}"
            await self._send(
                call, "store_conversation_message", agent_id=agent, sender="agent", message_content=build_text(token)
            )

    async def _version(self) -> None:
        token = self.history.make_token()
        with self.history.note("context", "shared", token) as call:
            data = {"text": build_text(token)}
            await self._send(call, "store_context", agent_id="shared", context_type="state", context_data=data)

    async def _note(self) -> None:
        token = self.history.make_token()
        with self.history.note("item", token=token) as call:
            await self._send(call, "update_working_memory", content=build_text(token))

    async def _add(self) -> None:
        name = f"thing {self.random.randrange(NAMES)}"
        with self.history.note("entity", name) as call:
            await self._send(call, "graph_add_node", label="Thing", name=name)


class ChaosScript(ChaosClient):
    """A client of REST."""

    def __init__(self, service: Service, history: History, number: int, seed: int) -> None:
        super().__init__(service, history, number, seed)
        self._http: httpx2.AsyncClient | None = None
        self.calls = [self._add_memory, self._save, self._relate, self._ask]

    async def _connect_and_call(self, stopped: anyio.Event) -> None:
        async with door(self.service, self.history.namespace, f"script-{self.number}") as self._http:
            await self._call_until(stopped)

    async def _send(self, call: Call, path: str, body: dict[str, Any]) -> None:
        assert self._http is not None
        with anyio.fail_after(_PATIENCE):
            answer = await self._http.post(path, json=body)
        call.settle(is_error=answer.status_code >= httpx2.codes.BAD_REQUEST, answer=answer.json())

    async def _add_memory(self) -> None:
        token = self.history.make_token()
        said = {"prompt": build_text(token), "thought": "", "response": "Noted."}
        with self.history.note("memory", token=token) as call:
            await self._send(call, "/memories", {**said, "sessionId": f"session-{self.number}"})

    async def _save(self) -> None:
        token = self.history.make_token()
        with self.history.note("entry", token=token) as call:
            await self._send(call, "/entries", {"text": build_text(token)})

    async def _relate(self) -> None:
        token = self.history.make_token()
        relation = {"source_name": f"thing {self.random.randrange(NAMES)}", "target_name": token, "relation": "KNOWS"}
        with self.history.note("relation", token=token) as call:
            await self._send(call, "/graph/relations", relation)

    async def _ask(self) -> None:
        target = f"target {self.random.randrange(TARGETS)}"
        with self.history.note("strict", target) as call:
            body = {"query": f"decision about {target}", "target": target, "mode": "strict"}
            await self._send(call, "/decisions/query", body)
