"""One local Neo4j process: its home, its start, its end."""

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio
import anyio.abc
import psutil
import structlog
from anyio import to_thread
from neo4j import AsyncGraphDatabase
from neo4j.exceptions import AuthError, DriverError, Neo4jError

from server.core.errors import SetupError
from server.core.home import Home
from server.local.credentials import load_secret
from server.local.ports import Ports, require_free

_log = structlog.get_logger(__name__)

USER = "neo4j"
_ENTRY = "org.neo4j.server.CommunityEntryPoint"
_TEMPORARY = "tmp"
_OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")
# Not the environment of this process, which has secrets and JAVA_TOOL_OPTIONS. The locale allows any folder name.
ENVIRONMENT = {"LC_ALL": "C.UTF-8"}
_START_LIMIT = 120.0  # seconds
_ANSWER_LIMIT = 5.0  # seconds for one check; a stop meanwhile waits at most so long
_STOP_LIMIT = 60.0  # seconds; a large store may have much to write


@dataclass(frozen=True, slots=True)
class Installation:
    """The files of Neo4j: the `java` program, the jars in class path order, and the class-data archive, if any."""

    java: Path
    jars: tuple[Path, ...]
    archive: Path | None = None

    @property
    def class_path(self) -> str:
        """The class path as the content of a Java argument file; it is too long for some command lines."""
        joined = (":" if self.java.suffix != ".exe" else ";").join(map(str, self.jars))
        return '-cp "' + joined.replace("\\", "\\\\").replace('"', '\\"') + '"\n'


@dataclass(frozen=True, slots=True)
class MemoryLimits:
    """The memory that Neo4j may use, in MiB."""

    heap_initial: int = 256
    heap_max: int = 512
    page_cache: int = 128


class LocalNeo4j:
    """The Neo4j of one home. The caller holds the home's lock, so another Neo4j of this home is a leftover."""

    def __init__(
        self,
        installation: Installation,
        home: Home,
        ports: Ports,
        memory: MemoryLimits | None = None,
        jvm_flags: Sequence[str] = (),
    ) -> None:
        self._installation = installation
        self._home = home
        self._folder = home.neo4j.resolve()  # one spelling, which identifies the process
        self._ports = ports
        self._memory = memory or MemoryLimits()
        self._jvm_flags = jvm_flags
        self._process: anyio.abc.Process | None = None

    @property
    def uri(self) -> str:
        return f"bolt://127.0.0.1:{self._ports.bolt}"

    @property
    def pid(self) -> int | None:
        """The process id while Neo4j runs."""
        return self._process.pid if self._process and self._process.returncode is None else None

    @property
    def password(self) -> str:
        """The password of the user `neo4j`, created once per home."""
        return load_secret(self._home.neo4j_password)

    async def start(self, jvm_flags: Sequence[str] = ()) -> None:
        """Start Neo4j and return when Bolt answers; first stop the leftover of a killed service.

        Raises `PortTaken`, and `SetupError` when Neo4j ends, rejects the password or does not answer.
        """
        await stop_leftover(self._home)
        await to_thread.run_sync(
            require_free,
            {"PRECEDENT_BOLT_PORT": self._ports.bolt, "PRECEDENT_BROWSER_PORT": self._ports.browser},
        )
        await to_thread.run_sync(self._write_home)
        if not self._has_password:
            await self._set_password()
        with self._console.open("wb") as console:
            self._process = await anyio.open_process(
                self._command(jvm_flags),
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
                cwd=self._folder,
                env=ENVIRONMENT,
                start_new_session=True,  # otherwise Ctrl-C in the terminal would end it first
            )
        try:
            with anyio.fail_after(_START_LIMIT):
                await self._wait_until_ready(self._process)
        except TimeoutError as error:
            await self.stop()
            raise SetupError(f"Neo4j did not answer within {_START_LIMIT:.0f} s. {self._last_output()}") from error
        except BaseException:
            await self.stop()
            raise

    async def wait(self) -> int:
        """Wait until the process ends and return its exit code."""
        assert self._process is not None
        return await self._process.wait()

    async def stop(self) -> None:
        """Stop Neo4j, which checkpoints and closes its databases; do nothing when it does not run."""
        process = self._process
        if process is None or process.returncode is not None:
            return
        with anyio.CancelScope(shield=True):
            process.terminate()
            with anyio.move_on_after(_STOP_LIMIT) as limit:
                await process.wait()
            if limit.cancelled_caught:
                _log.warning("neo4j_killed", after_s=_STOP_LIMIT)
                process.kill()  # committed data is in its transaction log
                await process.wait()

    @property
    def _console(self) -> Path:
        return self._home.logs / "neo4j-console.log"

    @property
    def _has_password(self) -> bool:
        data = self._folder / "data"
        return (data / "dbms" / "auth.ini").exists() or (data / "databases").exists()

    def _write_home(self) -> None:
        """Write the folders and configuration of the home; data stays."""
        self._home.create()
        shutil.rmtree(self._folder / _TEMPORARY, ignore_errors=True)  # of a Neo4j that was killed
        for name in ("conf", "logs", "run", "import", "plugins", _TEMPORARY):
            (self._folder / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        (self._folder / "conf" / "neo4j.conf").write_text(self._configuration(), "utf-8")
        (self._folder / "conf" / "classpath.args").write_text(self._installation.class_path, "utf-8")

    def _configuration(self) -> str:
        bolt = f"127.0.0.1:{self._ports.bolt}"
        lines = {
            "server.default_listen_address": "127.0.0.1",
            "server.bolt.listen_address": bolt,
            "server.bolt.advertised_address": bolt,
            "server.http.listen_address": f"127.0.0.1:{self._ports.browser}",
            "server.https.enabled": "false",
            "server.memory.heap.initial_size": f"{self._memory.heap_initial}m",
            "server.memory.heap.max_size": f"{self._memory.heap_max}m",
            "server.memory.pagecache.size": f"{self._memory.page_cache}m",
            "db.tx_log.rotation.retention_policy": "512M size",
            "db.tx_log.preallocate": "false",  # otherwise each new home needs 512 MB at once
            "internal.dbms.bolt.netty_server_shutdown_quiet_period": "0",  # otherwise stopping takes 10 s
            "dbms.usage_report.enabled": "false",
            "client.allow_telemetry": "false",
        }
        return "# Written by Precedent at each start.\n" + "".join(f"{k}={v}\n" for k, v in lines.items())

    def _command(self, jvm_flags: Sequence[str]) -> list[str]:
        return [
            str(self._installation.java),
            *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED),
            f"-Djava.io.tmpdir={self._folder / _TEMPORARY}",
            "-Dio.netty.tryReflectionSetAccessible=true",
            "-Djdk.nio.maxCachedBufferSize=1024",
            "-Dlog4j2.disable.jmx=true",
            "-XX:+UseG1GC",
            f"-Xms{self._memory.heap_initial}m",
            f"-Xmx{self._memory.heap_max}m",
            "-XX:+ExitOnOutOfMemoryError",  # the supervisor restarts it
            f"-XX:ErrorFile={self._home.logs.resolve()}/neo4j-crash-%p.log",
            *self._archive_options(),
            *self._jvm_flags,
            *jvm_flags,
            f"@{self._folder}/conf/classpath.args",
            _ENTRY,
            f"--home-dir={self._folder}",
            f"--config-dir={self._folder}/conf",
            "--console-mode",
        ]

    def _archive_options(self) -> list[str]:
        archive = self._installation.archive
        return [f"-XX:SharedArchiveFile={archive}", "-Xlog:cds=off"] if archive else []

    async def _set_password(self) -> None:
        """Set the first password with Neo4j's own tool; the password is passed in a file, not on the command line."""
        load_secret(self._home.neo4j_password)
        result = await anyio.run_process(
            [
                str(self._installation.java),
                *("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", *self._archive_options()),
                f"@{self._folder}/conf/classpath.args",
                *("org.neo4j.cli.AdminTool", "dbms", "set-initial-password"),
                f"@{self._home.neo4j_password.resolve()}",
            ],
            env={**ENVIRONMENT, "NEO4J_HOME": str(self._folder), "NEO4J_CONF": str(self._folder / "conf")},
            check=False,
        )
        if result.returncode != 0:
            _log.error("neo4j_password_not_set", output=result.stderr.decode(errors="replace")[-2000:])
            raise SetupError("Neo4j's admin tool could not set the first password; the log has the details.")

    async def _wait_until_ready(self, process: anyio.abc.Process) -> None:
        """Return when the user `neo4j` can connect over Bolt."""
        async with AsyncGraphDatabase.driver(
            self.uri,
            auth=(USER, self.password),
            connection_timeout=_ANSWER_LIMIT,
            connection_acquisition_timeout=_ANSWER_LIMIT,
            telemetry_disabled=True,
        ) as driver:
            while True:
                if process.returncode is not None:
                    raise SetupError(f"Neo4j ended while starting. {self._last_output()}")
                try:
                    with anyio.CancelScope(
                        shield=True
                    ):  # the driver leaks its socket when it is cancelled while connecting
                        await driver.verify_connectivity()
                except AuthError as error:
                    raise SetupError(
                        f"Neo4j rejects the password in {self._home.neo4j_password}. If it was changed, for example in "
                        "Neo4j Browser, write the new password into that file."
                    ) from error
                except (DriverError, Neo4jError):  # not listening yet, or its database is still opening
                    await anyio.sleep(0.05)
                else:
                    return

    def _last_output(self) -> str:
        lines = self._console.read_text("utf-8", errors="replace").splitlines()
        errors = [line for line in lines if line.strip() and not line.startswith("\t") and " INFO " not in line]
        return " / ".join([*errors[-4:], f"More in {self._console}."])


def find_processes(home: Home) -> list[psutil.Process]:
    """Find the Neo4j processes of a home by their command line."""
    option = f"--home-dir={home.neo4j.resolve()}"
    found = []
    for process in psutil.process_iter(["cmdline"]):
        line = process.info["cmdline"] or []
        if option in line and _ENTRY in line:
            found.append(process)
    return found


async def stop_leftover(home: Home) -> bool:
    """Stop a Neo4j whose service was killed; the caller holds the home's lock. Return whether there was one."""

    def end() -> bool:
        processes = find_processes(home)
        for process in processes:
            process.terminate()
        _, alive = psutil.wait_procs(processes, timeout=_STOP_LIMIT)
        for process in alive:
            process.kill()
        psutil.wait_procs(alive)
        return bool(processes)

    found = await to_thread.run_sync(end)
    if found:
        _log.warning("neo4j_leftover_stopped")
    return found
