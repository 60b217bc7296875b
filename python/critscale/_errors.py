"""The exceptions of the package. Uses nothing."""


class Error(Exception):
    """Everything that Critscale raises on purpose."""


class InputError(Error, ValueError):
    """Input that has no meaning: malformed text, a parameter outside its range."""


class LimitError(Error, ArithmeticError):
    """A limit of precision, time or memory was reached before the question was decided."""


class UndefinedError(Error, ArithmeticError):
    """A quantity that is not defined for this input."""


class UndecidedError(Error, ArithmeticError):
    """A comparison that an enclosure does not decide, or a digit that it does not have."""
