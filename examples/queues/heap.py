"""An adapter: the four operations around something that has others, here Python's own heap."""

import heapq

from angarium.contracts.subjects import Message


class HeapQueue:
    """Messages in a heap, the lowest number on top; at most a thousand."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, bytes | str]] = []

    def enqueue(self, msg: Message) -> bool:
        if len(self._heap) >= 1000:
            return False
        heapq.heappush(self._heap, (msg.num, msg.payload))
        return True

    def empty(self) -> bool:
        return not self._heap

    def pick_one(self) -> Message:
        return Message(*self._heap[0])

    def delete_all(self, seq: int) -> None:
        while self._heap and self._heap[0][0] <= seq:
            heapq.heappop(self._heap)
