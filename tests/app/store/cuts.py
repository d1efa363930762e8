"""A pipeline to PostgreSQL that is cut when a test says so: by the server, as an operator's or a network's cut is."""

from __future__ import annotations

import threading
from typing import Literal

from app.store.pipeline import ConnectionLost, Outcome, Pipeline
from tests.app.store.places import PostgresPlace


class Cuts:
    """The cuts to come, in order: at the next statement that begins with `at`, before it is sent or when it is done."""

    def __init__(self, place: PostgresPlace) -> None:
        self._place = place
        self._planned: list[tuple[str, Literal["before", "after"]]] = []
        self._lock = threading.Lock()
        self.said: list[str] = []
        self.backends: list[int] = []

    def plan(self, at: str, when: Literal["before", "after"]) -> None:
        with self._lock:
            self._planned.append((at, when))

    def pipeline_class(self) -> type[Pipeline]:
        cuts = self

        class CutPipeline(Pipeline):
            _cut_after = False

            def say(self, sql: str) -> None:
                when = cuts.meets(sql)
                if when == "before":
                    cuts.cut(self.backend)
                self._cut_after = self._cut_after or when == "after"
                super().say(sql)

            def collect(self) -> list[Outcome]:
                outcomes = super().collect()
                if self._cut_after:
                    cuts.cut(self.backend)
                    raise ConnectionLost("cut")
                return outcomes

        return CutPipeline

    def meets(self, sql: str) -> Literal["before", "after"] | None:
        with self._lock:
            self.said.append(sql)
            if self._planned and sql.startswith(self._planned[0][0]):
                return self._planned.pop(0)[1]
            return None

    def cut(self, backend: int) -> None:
        """End a connection from the server's side, and wait until it has ended."""
        self.backends.append(backend)
        self._place.sql("SELECT pg_terminate_backend(?, 10000)", backend)
