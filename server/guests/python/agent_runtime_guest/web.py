"""What of the manifest is about HTTP: loaded once, in a guest that has no agents."""

import asyncio
import sys
import traceback
from collections.abc import AsyncIterator, Callable
from typing import Any

from . import messages
from .agent_import import import_variable
from .config import GuestConfig
from .errors import error_message
from .lifetime import before_end

_NO_APP = RuntimeError("this guest has no http.app")


class Web:
    """The manifest's `auth` and `http.app`, or why they could not be loaded."""

    def __init__(self, config: GuestConfig) -> None:
        self._auth: Any = None
        self._auth_error: Any = None
        folders = config.source_dir, config.import_paths
        if config.auth_path:
            try:
                from .auth import AuthHandlers

                self._auth = AuthHandlers(import_variable(config.auth_path, *folders))
            except (Exception, SystemExit) as error:
                self._auth_error = error_message(error)
        self._app: Any = None
        self._app_error: Any = None
        if config.app_path:
            try:
                from .asgi import AsgiApp

                self._app = AsgiApp(import_variable(config.app_path, *folders))
            except (Exception, SystemExit) as error:
                self._app_error = error_message(error)

    async def start(self) -> None:
        """Starts the app's lifespan; an app whose start fails is not served."""
        if self._app is None:
            return
        try:
            await self._app.lifespan.start()
        except BaseException as error:
            self._app, self._app_error = None, error_message(error)
            return
        loop = asyncio.get_running_loop()

        def stop_app(done: Callable[[], None]) -> None:
            loop.call_soon_threadsafe(lambda: loop.create_task(self._stop(done)))

        before_end(stop_app)

    async def _stop(self, done: Callable[[], None]) -> None:
        try:
            await self._app.lifespan.stop()
        except BaseException:
            print(traceback.format_exc(), file=sys.stderr)
        finally:
            done()

    async def describe(self, _: Any, __: Any) -> Any:
        """What could not be loaded."""
        return messages.DescribeWebResponse(auth_error=self._auth_error, app_error=self._app_error)

    async def http(self, requests: AsyncIterator[Any], _: Any) -> AsyncIterator[Any]:
        """The response to one request."""
        if self._app is None:
            yield messages.HttpResponse(error=self._app_error or error_message(_NO_APP))
            return
        async for part in self._app.respond(requests):
            yield part

    async def authenticate(self, request: Any, _: Any) -> Any:
        """Who makes a request."""
        if self._auth is None:
            return messages.AuthenticateResponse(error=self._auth_error)
        return await self._auth.authenticate(request)

    async def authorize(self, request: Any, _: Any) -> Any:
        """Whether a user may do something."""
        if self._auth is None:
            return messages.AuthorizeResponse(error=self._auth_error)
        return await self._auth.authorize(request)
