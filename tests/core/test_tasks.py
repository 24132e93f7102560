"""Tasks beside one another: what the caller gets of the one that fails."""

import anyio
import pytest

from server.core.errors import RegistryUnreachable
from server.core.tasks import open_task_group

pytestmark = pytest.mark.anyio


async def test_the_first_error_ends_the_others_and_is_raised_itself_with_its_cause() -> None:
    cause, ended = ConnectionError("the network"), anyio.Event()

    async def fail() -> None:
        raise RegistryUnreachable("Check the network.") from cause

    async def wait() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            ended.set()

    with pytest.raises(RegistryUnreachable) as caught:
        async with open_task_group() as tasks:
            tasks.start_soon(wait)
            tasks.start_soon(fail)
    assert caught.value.__cause__ is cause
    assert ended.is_set()


async def test_an_error_without_a_cause_gets_none() -> None:
    with pytest.raises(RegistryUnreachable) as caught:
        async with open_task_group():
            raise RegistryUnreachable("Check the network.")
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
