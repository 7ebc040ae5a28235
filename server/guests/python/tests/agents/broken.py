"""Cannot be imported."""

import no_such_module_anywhere  # noqa: F401
