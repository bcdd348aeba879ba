"""The message aggregate, command by command. Every interleaving: test_correlation_promises.py."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from engine import commands as c
from engine.aggregates import MessageState
from engine.correlation import apply_message
from engine.correlation.aggregate import EXPIRY_TIMER, MessageCommand
from engine.definitions import Definitions
from engine.outcome import Context, Outcome
from engine.rejections import Rejection, RejectionCode
from engine.routing import message_address
from engine.settings import Settings
from tests.support.contexts import HOUR, NOW, context, started_by

ADDRESS = message_address("paid", "o-1")


def given(*commands: MessageCommand, definitions: Definitions | None = None) -> MessageState | None:
    """The aggregate after these commands, at offsets from 1 on, all of them at NOW."""
    state: MessageState | None = None
    for offset, command in enumerate(commands, 1):
        state = accepted(
            apply_message(context(offset=offset, definitions=definitions), state, command)
        )
    return state


def accepted(outcome: Outcome | Rejection) -> MessageState | None:
    assert isinstance(outcome, Outcome)
    assert outcome.state is None or isinstance(outcome.state, MessageState)
    return outcome.state


def when(
    state: MessageState | None, command: MessageCommand, at: Context | None = None
) -> tuple[MessageState | None, list[c.AnyCommand]]:
    """Apply one command; what became of the aggregate, and what it sends."""
    outcome = apply_message(at or context(offset=100), state, command)
    state = accepted(outcome)
    assert isinstance(outcome, Outcome)
    return state, [send.command for send in outcome.sends]


def rejection(
    state: MessageState | None, command: c.PublishMessage, at: Context | None = None
) -> Rejection:
    outcome = apply_message(at or context(offset=100), state, command)
    assert isinstance(outcome, Rejection)
    return outcome


def told(
    state: MessageState | None, command: c.PublishMessage, definitions: Definitions | None = None
) -> Any:
    """What the publisher is told of the message, at NOW."""
    outcome = apply_message(context(offset=100, definitions=definitions), state, command)
    assert isinstance(outcome, Outcome)
    assert outcome.result is not None
    return json.loads(outcome.result)


def publish(
    ttl_ms: int = 0,
    *,
    key: str = "o-1",
    message_id: str | None = None,
    instance_id: str | None = None,
    variables: str = '{"amount":3}',
) -> c.PublishMessage:
    return c.PublishMessage(
        name="paid",
        correlation_key=key,
        ttl_ms=ttl_ms,
        message_id=message_id,
        instance_id=instance_id,
        variables=variables,
    )


def opened(
    instance_id: str, process_id: str = "order", number: int = 7, *, interrupting: bool = True
) -> c.OpenSubscription:
    return c.OpenSubscription(
        name="paid",
        correlation_key="o-1",
        instance_id=instance_id,
        process_id=process_id,
        subscription=number,
        interrupting=interrupting,
    )


def closed(instance_id: str, number: int = 7) -> c.CloseSubscription:
    return c.CloseSubscription(
        name="paid", correlation_key="o-1", instance_id=instance_id, subscription=number
    )


def settled(
    offer: c.AnyCommand, *, accepted: bool = True, still_open: bool = False
) -> c.SettleMessage | c.MessageStartSettled:
    """The instance's answer to an offer."""
    if isinstance(offer, c.StartByMessage):
        return c.MessageStartSettled(
            name=offer.name,
            correlation_key=offer.correlation_key,
            process_id=offer.process_id,
            instance_id=offer.instance_id,
            message=offer.message,
            accepted=accepted,
        )
    assert isinstance(offer, c.DeliverMessage)
    return c.SettleMessage(
        name=offer.name,
        correlation_key=offer.correlation_key,
        instance_id=offer.instance_id,
        subscription=offer.subscription,
        message=offer.message,
        accepted=accepted,
        still_open=still_open,
    )


def receivers(sends: Sequence[c.AnyCommand]) -> list[str]:
    return [send.instance_id for send in sends if isinstance(send, c.DeliverMessage)]


def ended(start: c.AnyCommand, instance_id: str | None = None) -> c.ReleaseMessageKey:
    assert isinstance(start, c.StartByMessage)
    return c.ReleaseMessageKey(
        name=start.name,
        correlation_key=start.correlation_key,
        process_id=start.process_id,
        instance_id=instance_id or start.instance_id,
    )


def fired(due_ms: int, timer: int = EXPIRY_TIMER) -> c.FireTimer:
    return c.FireTimer(address=ADDRESS, timer=timer, due_ms=due_ms)


class TestDelivery:
    def test_a_message_is_offered_to_the_subscription_that_waits(self) -> None:
        state, sends = when(given(opened("i-1")), publish())
        assert sends == [
            c.DeliverMessage(
                instance_id="i-1",
                subscription=7,
                message=100 << 16,
                name="paid",
                correlation_key="o-1",
                variables='{"amount":3}',
            )
        ]
        state, sends = when(state, settled(sends[0]))
        assert (state, sends) == (None, [])

    def test_nobody_waits_and_the_message_has_no_time_to_live_so_nothing_is_left(self) -> None:
        assert when(None, publish()) == (None, [])

    def test_a_buffered_message_meets_a_subscription_that_opens_later(self) -> None:
        _, sends = when(given(publish(HOUR)), opened("i-1"))
        assert receivers(sends) == ["i-1"]

    def test_a_buffered_message_meets_no_subscription_after_its_time(self) -> None:
        at = context(now=NOW + HOUR, offset=100)
        state, sends = when(given(publish(HOUR)), opened("i-1"), at)
        assert sends == []
        assert state is not None
        assert state.messages == ()

    def test_one_instance_a_process_gets_it_and_every_process(self) -> None:
        waiting = given(opened("i-1"), opened("i-2"), opened("b-1", "bill"))
        _, sends = when(waiting, publish())
        assert receivers(sends) == ["i-1", "b-1"]

    def test_a_process_that_took_a_living_message_is_not_offered_it_again(self) -> None:
        state, sends = when(given(opened("i-1"), opened("i-2")), publish(HOUR))
        state, sends = when(state, settled(sends[0]))
        assert sends == []
        state, sends = when(state, opened("i-3"))
        assert sends == []
        state, sends = when(state, opened("b-1", "bill"))
        assert receivers(sends) == ["b-1"]

    def test_the_oldest_message_goes_first(self) -> None:
        state = given(publish(HOUR, variables='{"n":1}'), publish(HOUR, variables='{"n":2}'))
        _, sends = when(state, opened("i-1"))
        assert [send.variables for send in sends if isinstance(send, c.DeliverMessage)] == [
            '{"n":1}'
        ]

    def test_a_message_for_one_instance_reaches_no_other(self) -> None:
        waiting = given(opened("i-1"), opened("i-2"), opened("b-1", "bill"))
        _, sends = when(waiting, publish(instance_id="i-2"))
        assert receivers(sends) == ["i-2"]

    def test_a_message_for_one_instance_starts_none(self) -> None:
        at = context(offset=100, definitions=started_by("paid", "order"))
        assert when(None, publish(instance_id="i-2"), at) == (None, [])

    def test_a_subscription_that_is_opened_twice_is_one(self) -> None:
        assert given(opened("i-1"), opened("i-1")) == given(opened("i-1"))


class TestRefusal:
    def test_a_refused_message_goes_to_the_next_subscription(self) -> None:
        state, sends = when(given(opened("i-1"), opened("i-2")), publish())
        state, sends = when(state, settled(sends[0], accepted=False))
        assert receivers(sends) == ["i-2"]
        assert state is not None
        assert [known.instance_id for known in state.subscriptions] == ["i-2"]

    def test_a_refused_message_goes_on_although_its_time_has_ended(self) -> None:
        state, sends = when(given(opened("i-1"), opened("i-2")), publish(HOUR))
        late = context(now=NOW + 2 * HOUR, offset=101)
        _, sends = when(state, settled(sends[0], accepted=False), late)
        assert receivers(sends) == ["i-2"]

    def test_a_refused_message_stays_as_long_as_it_lives(self) -> None:
        state, sends = when(given(opened("i-1")), publish(HOUR))
        state, sends = when(state, settled(sends[0], accepted=False))
        assert sends == []
        _, sends = when(state, opened("i-2"))
        assert receivers(sends) == ["i-2"]

    def test_a_refused_message_whose_time_is_over_is_not_for_those_who_came_later(self) -> None:
        state, sends = when(given(opened("i-1")), publish())
        offer = sends[0]
        state, sends = when(state, opened("i-2"))
        assert sends == []
        state, sends = when(state, closed("i-2"))
        state, sends = when(state, opened("b-1", "bill"))
        assert sends == []
        state, sends = when(state, settled(offer, accepted=False))
        assert sends == []
        assert state is not None
        assert state.messages == ()

    def test_an_offer_outlives_the_subscription_that_closes_meanwhile(self) -> None:
        state, sends = when(given(opened("i-1"), opened("i-2")), publish())
        offer = sends[0]
        state, sends = when(state, closed("i-1"))
        assert sends == []
        _, sends = when(state, settled(offer, accepted=False))
        assert receivers(sends) == ["i-2"]

    def test_a_settlement_of_a_message_that_is_not_known_changes_nothing_else(self) -> None:
        state = given(opened("i-1"), opened("i-2"))
        unknown = c.SettleMessage(
            name="paid",
            correlation_key="o-1",
            instance_id="i-9",
            subscription=3,
            message=5,
            accepted=False,
        )
        outcome = apply_message(context(offset=100), state, unknown)
        assert isinstance(outcome, Outcome)
        assert outcome.state is state


class TestBusySubscriptions:
    def test_two_messages_at_the_same_instant_both_count(self) -> None:
        state, first = when(given(opened("i-1", number=7)), publish(), context(offset=100))
        state, none = when(state, publish(), context(offset=101))
        assert none == []
        state, second = when(state, opened("i-1", number=8), context(offset=102))
        assert [send.message for send in second if isinstance(send, c.DeliverMessage)] == [
            101 << 16
        ]
        state, _ = when(state, settled(first[0]))
        state, _ = when(state, closed("i-1", 7))
        state, _ = when(state, settled(second[0]))
        assert state is None

    def test_what_waits_for_a_busy_subscription_goes_when_the_subscription_does(self) -> None:
        state, offers = when(given(opened("i-1")), publish(), context(offset=100))
        state, _ = when(state, publish(), context(offset=101))
        state, sends = when(state, settled(offers[0]))
        assert (state, sends) == (None, [])

    def test_a_subscription_that_does_not_interrupt_is_never_busy_and_stays_open(self) -> None:
        state = given(opened("i-1", interrupting=False))
        state, first = when(state, publish(), context(offset=100))
        state, second = when(state, publish(), context(offset=101))
        assert receivers([*first, *second]) == ["i-1", "i-1"]
        state, _ = when(state, settled(first[0], still_open=True))
        state, _ = when(state, settled(second[0], still_open=True))
        assert state == given(opened("i-1", interrupting=False))

    def test_acceptance_ends_an_interrupting_subscription_at_once(self) -> None:
        state, sends = when(given(opened("i-1")), publish())
        state, _ = when(state, settled(sends[0]))
        assert when(state, publish(), context(offset=101)) == (None, [])


class TestMessageIds:
    def test_a_message_id_counts_for_an_hour_at_least(self) -> None:
        state = given(publish(message_id="m"))
        refused = rejection(state, publish(message_id="m"), context(now=NOW + HOUR - 1, offset=2))
        assert refused.code == RejectionCode.ALREADY_EXISTS
        when(state, publish(message_id="m"), context(now=NOW + HOUR, offset=2))

    def test_a_message_id_counts_as_long_as_the_message_lives(self) -> None:
        state = given(publish(3 * HOUR, message_id="m"))
        late = context(now=NOW + 3 * HOUR - 1, offset=2)
        assert rejection(state, publish(message_id="m"), late).code == RejectionCode.ALREADY_EXISTS
        when(state, publish(message_id="m"), context(now=NOW + 3 * HOUR, offset=2))

    def test_other_ids_and_messages_without_one_are_not_hindered(self) -> None:
        state = given(publish(message_id="m"), opened("i-1"), opened("b-1", "bill"))
        assert receivers(when(state, publish(message_id="n"))[1]) == ["i-1", "b-1"]
        assert receivers(when(state, publish())[1]) == ["i-1", "b-1"]


class TestStartEvents:
    ORDER = started_by("paid", "order", version=3)

    def test_a_message_starts_an_instance_named_by_its_position(self) -> None:
        at = context(offset=100, definitions=self.ORDER)
        _, (start,) = when(None, publish(), at)
        assert isinstance(start, c.StartByMessage)
        assert start == c.StartByMessage(
            instance_id=start.instance_id,
            process_id="order",
            version=3,
            start_element="begin",
            name="paid",
            correlation_key="o-1",
            message=100 << 16,
            variables='{"amount":3}',
            checksum="c0ffee",
            semantics=1,
        )
        assert when(None, publish(), at)[1] == [start]
        elsewhere = [
            replace(at, offset=101),
            replace(at, partition=1),
            replace(at, step=1),
            replace(at, namespace="other"),
        ]
        ids = {when(None, publish(), where)[1][0].instance_id for where in elsewhere}  # type: ignore[union-attr]  # each is a start
        assert len(ids | {start.instance_id}) == 5

    def test_the_key_starts_no_second_instance_while_the_first_lives(self) -> None:
        at = context(offset=100, definitions=self.ORDER)
        state, starts = when(None, publish(HOUR), at)
        state, _ = when(state, settled(starts[0]), at)
        state, none = when(state, publish(HOUR), replace(at, offset=101))
        assert none == []
        state, none = when(state, ended(starts[0], "another"), replace(at, offset=102))
        assert none == []
        state, (second,) = when(state, ended(starts[0]), replace(at, offset=103))
        assert isinstance(second, c.StartByMessage)
        assert second.message == 101 << 16

    def test_a_key_whose_instance_has_ended_leaves_nothing_behind(self) -> None:
        at = context(offset=100, definitions=self.ORDER)
        state, starts = when(None, publish(), at)
        state, _ = when(state, settled(starts[0]), at)
        assert when(state, ended(starts[0]), at) == (None, [])

    def test_a_message_with_no_time_to_live_does_not_wait_for_the_key(self) -> None:
        at = context(offset=100, definitions=self.ORDER)
        state, starts = when(None, publish(), at)
        state, _ = when(state, settled(starts[0]), at)
        state, none = when(state, publish(), replace(at, offset=101))
        assert none == []
        assert when(state, ended(starts[0]), replace(at, offset=102)) == (None, [])

    def test_an_empty_key_always_starts(self) -> None:
        at = context(offset=100, definitions=self.ORDER)
        state, first = when(None, publish(key=""), at)
        state, second = when(state, publish(key=""), replace(at, offset=101))
        assert len(first) == len(second) == 1
        state, _ = when(state, settled(first[0]), at)
        state, _ = when(state, settled(second[0]), at)
        assert state is None

    def test_one_message_starts_every_process_that_begins_with_its_name(self) -> None:
        at = context(offset=100, definitions=started_by("paid", "order", "bill"))
        _, sends = when(None, publish(), at)
        starts = [send for send in sends if isinstance(send, c.StartByMessage)]
        assert [start.process_id for start in starts] == ["bill", "order"]
        assert starts[0].instance_id != starts[1].instance_id

    def test_a_process_whose_instance_waits_is_not_started_as_well(self) -> None:
        at = context(offset=100, definitions=self.ORDER)
        _, sends = when(given(opened("i-1")), publish(), at)
        assert receivers(sends) == ["i-1"]
        assert len(sends) == 1

    def test_a_process_whose_instance_refuses_is_started_instead(self) -> None:
        at = context(offset=100, definitions=self.ORDER)
        state, offers = when(given(opened("i-1")), publish(), at)
        _, sends = when(state, settled(offers[0], accepted=False), replace(at, offset=101))
        assert [type(send) for send in sends] == [c.StartByMessage]

    def test_a_start_event_deployed_later_does_not_take_an_older_message(self) -> None:
        state = given(publish(HOUR))
        at = context(offset=100, definitions=self.ORDER)
        _, sends = when(state, opened("b-1", "bill"), at)
        assert receivers(sends) == ["b-1"]
        assert len(sends) == 1

    def test_a_start_whose_id_is_in_use_is_tried_under_another_and_not_for_ever(self) -> None:
        at = context(offset=100, definitions=self.ORDER)
        state, starts = when(None, publish(), at)
        tried = []
        for offset in range(101, 110):
            if not starts:
                break
            tried.append(starts[0])
            state, starts = when(
                state, settled(starts[0], accepted=False), replace(at, offset=offset)
            )
        assert state is None
        ids = [start.instance_id for start in tried if isinstance(start, c.StartByMessage)]
        assert len(ids) == len(set(ids)) == 3

    def test_a_key_that_another_instance_holds_makes_the_message_wait_for_its_end(self) -> None:
        at = context(offset=100, definitions=self.ORDER)
        state, starts = when(None, publish(HOUR), at)
        for offset in range(101, 110):  # however often: it was not refused
            answer = settled(starts[0], accepted=False)
            assert isinstance(answer, c.MessageStartSettled)
            state, none = when(state, replace(answer, holder="i-9"), replace(at, offset=offset))
            assert none == []
            assert state is not None
            assert state.started == {"order": "i-9"}
            state, starts = when(state, ended(starts[0], "i-9"), replace(at, offset=offset))
            assert len(starts) == 1

    def test_a_message_whose_key_another_holds_reaches_what_waits_for_it(self) -> None:
        at = context(offset=100, definitions=self.ORDER)
        state, starts = when(None, publish(), at)
        state, _ = when(state, opened("i-9"), at)
        answer = settled(starts[0], accepted=False)
        assert isinstance(answer, c.MessageStartSettled)
        _, sends = when(state, replace(answer, holder="i-9"), at)
        assert receivers(sends) == ["i-9"]

    def test_a_start_of_several_events_goes_by_its_conversation(self) -> None:
        table = started_by("paid", "order")
        order = table.get("order")
        assert order is not None
        joint = table.with_versions(replace(order, joint_starts=("begin",)))
        either = table.with_versions(replace(order, alternative_starts=("begin",)))
        found = [
            start.conversation
            for definitions in (joint, either)
            for key in ("o-1", "")
            for start in when(None, publish(key=key), context(definitions=definitions))[1]
            if isinstance(start, c.StartByMessage)
        ]
        assert found == ["o-1", "", "o-1", None]


class TestExpiry:
    def timers(
        self, state: MessageState | None, command: MessageCommand, at: Context
    ) -> list[int | None]:
        outcome = apply_message(at, state, command)
        assert isinstance(outcome, Outcome)
        assert all(change.address == ADDRESS for change in outcome.timers)
        assert all(change.timer == EXPIRY_TIMER for change in outcome.timers)
        return [change.due_ms for change in outcome.timers]

    def test_the_timer_is_armed_for_the_first_that_ends(self) -> None:
        assert self.timers(None, publish(HOUR), context()) == [NOW + HOUR]
        state = given(publish(HOUR))
        assert self.timers(state, publish(2 * HOUR), context(offset=2)) == []
        assert self.timers(state, publish(HOUR - 1), context(offset=2)) == [NOW + HOUR - 1]

    def test_the_timer_ends_what_is_over_and_looks_to_the_next(self) -> None:
        state = given(publish(HOUR), publish(2 * HOUR))
        due = context(now=NOW + HOUR, offset=100)
        assert self.timers(state, fired(NOW + HOUR), due) == [NOW + 2 * HOUR]
        state, _ = when(state, fired(NOW + HOUR), due)
        assert state is not None
        assert [message.number for message in state.messages] == [2 << 16]
        last = context(now=NOW + 2 * HOUR, offset=101)
        assert self.timers(state, fired(NOW + 2 * HOUR), last) == [None]
        assert when(state, fired(NOW + 2 * HOUR), last) == (None, [])

    def test_a_timer_that_comes_early_changes_nothing(self) -> None:
        state = given(publish(HOUR))
        outcome = apply_message(context(now=NOW + HOUR - 1), state, fired(NOW + HOUR))
        assert outcome == Outcome(state=state)

    def test_another_occurrence_changes_nothing(self) -> None:
        state = given(publish(HOUR))
        outcome = apply_message(context(now=NOW + HOUR), state, fired(NOW + HOUR - 1))
        assert outcome == Outcome(state=state)

    @pytest.mark.parametrize("timer", [EXPIRY_TIMER, 12])
    def test_a_timer_that_is_not_known_is_removed(self, timer: int) -> None:
        state = given(opened("i-1"))
        assert self.timers(None, fired(NOW), context()) == [None]
        outcome = apply_message(context(), state, fired(NOW, timer))
        assert isinstance(outcome, Outcome)
        assert [(change.timer, change.due_ms) for change in outcome.timers] == [(timer, None)]
        assert outcome.state is state

    def test_one_firing_serves_many_message_ids(self) -> None:
        state = None
        moved = []
        for n in range(50):
            at = context(now=NOW + n, offset=n + 1)
            moved += self.timers(state, publish(message_id=f"m{n}"), at)
            state, _ = when(state, publish(message_id=f"m{n}"), at)
        assert moved == [NOW + HOUR]
        at = context(now=NOW + HOUR, offset=100)
        state, _ = when(state, fired(NOW + HOUR), at)
        assert state is not None
        assert len(state.message_ids) == 49
        assert state.timer_at == NOW + HOUR + 49

    def test_when_what_waited_is_gone_its_timer_is_removed(self) -> None:
        state, sends = when(given(opened("i-1")), publish(HOUR, instance_id="i-1"))
        assert state is not None
        assert state.timer_at == NOW + HOUR
        state, _ = when(state, settled(sends[0]))
        assert self.timers(state, fired(NOW + HOUR), context(now=NOW + HOUR)) == [None]


class TestBadInput:
    @pytest.mark.parametrize(
        ("command", "found"),
        [
            (publish(variables="[1]"), "not an object"),
            (publish(variables="{"), "variables"),
            (publish(-1), "-1"),
            (publish(2**53), str(2**53)),
            (c.PublishMessage(name=""), "name"),
            (c.PublishMessage(name="n" * 1_001), "1001"),
            (publish(key="k" * 1_001), "1001"),
        ],
    )
    def test_what_is_no_message_is_refused_with_a_sentence(
        self, command: c.PublishMessage, found: str
    ) -> None:
        refused = rejection(None, command)
        assert refused.code == RejectionCode.INVALID_ARGUMENT
        assert found in refused.detail

    def test_variables_are_kept_in_their_one_form(self) -> None:
        _, sends = when(given(opened("i-1")), publish(variables='{ "a": 1.0,\n"b": 1.50 }'))
        assert isinstance(sends[0], c.DeliverMessage)
        assert sends[0].variables == '{"a":1,"b":1.5}'

    def test_variables_beyond_the_limit_are_refused(self) -> None:
        at = context(settings=Settings(variables_bytes_max=12))
        assert rejection(None, publish(variables='{"a":"ééé"}'), at).code == RejectionCode.TOO_LARGE
        when(None, publish(variables='{"a":"eee"}'), at)

    def test_a_buffer_that_would_grow_beyond_its_limit_takes_no_more(self) -> None:
        settings = Settings(message_buffer_bytes_max=30)
        state, _ = when(None, publish(HOUR), context(settings=settings))
        state, _ = when(state, publish(HOUR), context(offset=2, settings=settings))
        refused = rejection(state, publish(HOUR), context(offset=3, settings=settings))
        assert refused.code == RejectionCode.TOO_LARGE


class TestWhatThePublisherIsTold:
    """Whether somebody gets the message, whether it is kept, or whether it is lost."""

    def test_a_message_that_nobody_waits_for_is_lost(self) -> None:
        assert told(None, publish()) == {"offered_to": [], "buffered": False, "expires_at": NOW}
        others = given(publish(HOUR))
        assert told(others, publish())["buffered"] is False

    def test_with_a_time_to_live_it_is_kept_until_then(self) -> None:
        kept = {"offered_to": [], "buffered": True, "expires_at": NOW + HOUR}
        assert told(None, publish(HOUR)) == kept
        lost = told(given(opened("i-1")), publish(instance_id="i-2"))
        assert (lost["offered_to"], lost["buffered"]) == ([], False)

    def test_who_waits_is_named(self) -> None:
        waiting = given(opened("i-1"), opened("i-2", "invoice"))
        found = told(waiting, publish())
        assert (found["offered_to"], found["buffered"]) == (["i-1", "i-2"], False)
        assert told(waiting, publish(HOUR))["buffered"] is True

    def test_for_who_is_busy_with_another_one_it_is_kept(self) -> None:
        busy = given(opened("i-1"), publish())
        found = told(busy, publish())
        assert (found["offered_to"], found["buffered"]) == ([], True)
