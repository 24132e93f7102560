"""Typed values of an HTTP application's state, such as the service that a family's routes call."""

from typing import Generic, TypeVar

from fastapi import FastAPI, Request

ValueT = TypeVar("ValueT")


class StateKey(Generic[ValueT]):
    """A value of an application's state: `store` sets it, and a route gets it with `Depends(key.load)`.

    So routes are described without anything behind them.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def store(self, app: FastAPI, value: ValueT) -> None:
        """Set the value for an application."""
        setattr(app.state, self._name, value)

    async def load(self, request: Request) -> ValueT:
        """Return the value of the application that a request came to."""
        value: ValueT = getattr(request.app.state, self._name)
        return value
