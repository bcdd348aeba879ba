"""The budget, and what looks random."""

import pytest

from engine.expressions import MISSING, BudgetExceededError, Environment
from engine.expressions.environment import NESTING_MAX, random_fraction


def test_an_environment_without_variables_misses_all() -> None:
    assert Environment().lookup("x") is MISSING


def test_the_budget_is_spent_and_given_again() -> None:
    env = Environment(steps_max=10)
    env.spend(10)
    with pytest.raises(BudgetExceededError, match="more than 10 steps"):
        env.spend(1)
    env.begin()
    env.spend(10)


def test_nesting_is_bounded() -> None:
    env = Environment()
    env.enter(NESTING_MAX)
    with pytest.raises(BudgetExceededError, match="nested deeper"):
        env.enter(1)


def test_draws_depend_on_seed_and_count() -> None:
    one, same, other = Environment(seed="a"), Environment(seed="a"), Environment(seed="b")
    first = one.draw()
    assert first == same.draw()
    assert first != one.draw()
    assert first != other.draw()


def test_fractions_are_below_one() -> None:
    env = Environment()
    assert all(0 <= random_fraction(env) < 1 for _ in range(1000))


def test_what_all_evaluations_have_spent_is_known() -> None:
    env = Environment(steps_max=10)
    env.begin()
    env.spend(7)
    env.begin()
    assert env.spent == 7
    env.spend(2)
    assert env.spent == 9
