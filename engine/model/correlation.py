"""Correlation as BPMN draws it (8.4.2): the properties by which a message finds its conversation.

A correlation key names properties, each property says for a message where its value is in the
message. A message is correlated by the first key all of whose properties it has; a key to which the
process subscribes comes before others. What is thrown has the values as its key, joined as
`composites.compose_key` does it. Who waits takes them from the bindings of the subscription
(context-based correlation), else from its variables, by the same paths as from the message: there
they are since it sent, or received, the first message of the conversation (key-based correlation).
"""

from engine.expressions import Expression
from engine.model.composites import compose_key
from engine.model.correlation_keys import CorrelationKey, report_dangling
from engine.model.dialects import languages
from engine.model.parse import resolve
from engine.model.reading import Reading
from engine.model.report import quote
from engine.model.source import SourceElement, children


def thrown_key(reading: Reading, message: SourceElement) -> Expression | None:
    """The key of a message that is thrown: the values in it. None: it has no such key."""
    key = _key_of(reading, message)
    return None if key is None else _compose(reading, message, key.paths[message.id])


def awaited_key(reading: Reading, message: SourceElement) -> Expression | None:
    """The key under which a message is waited for. None: it has no such key, or one in error."""
    key = _key_of(reading, message)
    if key is None:
        return None
    subscription = reading.process.subscriptions.get(key.drawn.id)
    if subscription is None:
        return _compose(reading, message, key.paths[message.id])
    return _compose(reading, message, _bound(reading, subscription, key))


def is_correlated(reading: Reading, message: SourceElement) -> bool:
    """Whether the file says by what the message is correlated."""
    return _key_of(reading, message) is not None


def _key_of(reading: Reading, message: SourceElement) -> CorrelationKey | None:
    keys = reading.correlation.by_message.get(message.id, [])
    partly = reading.correlation.partly.get(message.id)
    if not keys and partly is not None:
        reading.report.warning(
            "partial-correlation",
            f"The message {quote(message.name or message.id)} has only some of the properties of"
            f" the correlation key {quote(partly.drawn.name or partly.drawn.id)}, so it is"
            " correlated by the business key. Give each property a path into the message.",
            message,
        )
    subscribed = [key for key in keys if key.drawn.id in reading.process.subscriptions]
    keys = subscribed or keys
    if len(keys) > 1:
        reading.report.warning(
            "several-correlation-keys",
            f"The message {quote(message.name or message.id)} has several correlation keys, of"
            f" which {quote(keys[0].drawn.name or keys[0].drawn.id)} counts. Keep one.",
            message,
        )
    return keys[0] if keys else None


def _compose(
    reading: Reading, message: SourceElement, paths: tuple[SourceElement, ...]
) -> Expression | None:
    parts = [_expression(reading, message, path) for path in paths]
    found = [part for part in parts if part is not None]
    return compose_key(found) if found and len(found) == len(parts) else None


def _expression(reading: Reading, message: SourceElement, path: SourceElement) -> Expression | None:
    formula = languages.condition(reading.dialect, path)
    if formula is None:
        reading.report.error(
            "expression-language",
            f"The {path.tag} is written in {quote(path.xml.get('language') or '')}, which is not"
            " executed. Rewrite it in FEEL or JUEL and remove the language.",
            message,
            path.line,
        )
        return None
    return reading.formulas.expression(formula, message, path.tag)


# --- subscriptions ---


def check_subscriptions(reading: Reading) -> None:
    """Report subscriptions that cannot be, or that do nothing."""
    for reference, drawn in reading.process.subscriptions.items():
        if not reading.dialect.correlates:
            reading.report.warning(
                "no-effect",
                "The correlationSubscription has no effect at run time. Publish messages with the"
                " business key of the instance.",
                drawn,
            )
        elif reference not in reading.catalogue.correlation_keys:
            report_dangling("correlation key", reference, drawn, reading.report)


def _bound(
    reading: Reading, subscription: SourceElement, key: CorrelationKey
) -> tuple[SourceElement, ...]:
    """The data paths that a subscription binds to the properties of its key."""
    bound: dict[str, SourceElement] = {}
    for part in children(subscription.xml):
        reference = (part.xml.get("correlationPropertyRef") or "").strip()
        path = next((each for each in children(part.xml) if each.tag == "dataPath"), None)
        found = resolve(reading.catalogue.correlation_properties, reference)
        if part.tag == "correlationPropertyBinding" and found is not None and path is not None:
            bound[found.id] = path
    missing = [each for each in key.properties if each not in bound]
    if missing:
        reading.report.error(
            "binding-missing",
            f"The subscription binds nothing to {', '.join(quote(each) for each in missing)} of its"
            " correlation key. Give each property a data path.",
            reading.process,
            subscription.line,
        )
        return ()
    return tuple(bound[each] for each in key.properties)
