"""Who sits at the other end cannot be changed."""

import dataclasses

import pytest

from app.rooms.viewer import Viewer
from engine.rules.events import PlayerId


def test_a_viewer_stays_who_he_is() -> None:
    viewer = Viewer(player=PlayerId("p1"), name="ada", house_bot=False)
    with pytest.raises(dataclasses.FrozenInstanceError):
        viewer.house_bot = True  # type: ignore[misc]  # what is tried here
