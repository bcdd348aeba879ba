"""Why a server is not there. The command line turns each of these into exit code 3."""


class DevServerError(Exception):
    """Root of what can go wrong with servers that are started for development."""


class UnavailableError(DevServerError):
    """One kind of server cannot be had here; the message says why. The next kind is tried."""


class NoServerError(DevServerError):
    """No kind that was asked for can be had; the message says what to install."""


class ServerFailedError(DevServerError):
    """A server that should run did not start; the message ends with what it printed."""


class AddressTakenError(DevServerError):
    """Somebody else listens where an engine is to; the message says how to choose another place."""


class NotSupportedError(DevServerError):
    """This kind of server cannot do that, for example be killed when it is not ours."""
