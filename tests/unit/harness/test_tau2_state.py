"""Databases whose entries are copied when taken: nobody sees another one's changes, and the hash is the plain one."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from ingrained.harness.tau2_state import Entries, Pristine


class Order(BaseModel):
    items: list[str]
    note: str = "ä"


class Base(BaseModel):
    orders: dict[str, Order]
    users: dict[str, Order]

    def get_hash(self) -> str:
        return plain(self)


class Listed(BaseModel):
    orders: list[Order]

    def get_hash(self) -> str:
        return plain(self)


def plain(database: BaseModel) -> str:
    return hashlib.sha256(json.dumps(database.model_dump(), sort_keys=True, default=str).encode()).hexdigest()


def base() -> Base:
    made = {key: Order(items=[key]) for key in ("b", "a", "c")}
    return Base(orders=made, users={key: Order(items=[]) for key in "xy"})


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["look", "get", "change", "set", "delete", "pop", "values", "items", "has", "count"]),
        st.sampled_from("abcd"),
    ),
    max_size=12,
)


def step(orders: dict[str, Order], what: str, key: str) -> Any:
    match what:
        case "get":
            return orders.get(key, Order(items=["none"])).model_dump()
        case "change" if key in orders:
            orders[key].items.append("more")
        case "look" if key in orders:
            return orders[key].model_dump()
        case "set":
            orders[key] = Order(items=["new"])
        case "delete" if key in orders:
            del orders[key]
        case "pop":
            popped = orders.pop(key, None)
            return None if popped is None else popped.model_dump()
        case "values":
            for one in orders.values():
                one.items.append("all")
        case "items":
            return [(name, one.model_dump()) for name, one in orders.items()]
        case "has":
            return key in orders
        case _:
            return len(orders)
    return None


@given(STEPS)
def test_it_goes_as_with_a_whole_copy_and_the_shared_one_stays(steps: list[tuple[str, str]]) -> None:
    shared, whole = base(), base()
    pristine = Pristine(shared)
    fresh = pristine.fresh()
    for what, key in steps:
        assert step(fresh.orders, what, key) == step(whole.orders, what, key)
        assert fresh.model_dump() == whole.model_dump()
        assert pristine.digest(fresh) == plain(whole)
    assert shared == base()
    assert pristine.digest(pristine.fresh()) == plain(base())


def test_a_database_of_lists_is_copied_and_hashed_as_a_whole() -> None:
    pristine = Pristine(Listed(orders=[Order(items=["a"])]))
    one, other = pristine.fresh(), pristine.fresh()
    one.orders[0].items.append("b")
    assert other.orders[0].items == ["a"]
    assert pristine.digest(one) == plain(one) != pristine.digest(other)


def test_what_would_change_entries_unseen_is_refused() -> None:
    entries = Entries(base().orders)
    with pytest.raises(NotImplementedError):
        entries.update({"a": Order(items=[])})
    with pytest.raises(KeyError):
        entries.pop("z")
