"""The committed descriptor set is that of the contract."""

import generate


def test_the_descriptor_set_is_up_to_date() -> None:
    assert generate.TARGET.read_bytes() == generate.descriptor_set()
