"""Decoded documents between batches, least recently used first out, over all partitions at once.

They stay valid because the fence names its commit: as long as the fence is the one that this owner
wrote or read, nobody else can have changed a document. The owner empties its cache when it is not.
"""

from collections import OrderedDict

from storage.documents import StoredDocument

ENTRY_BYTES_MIN = 512
"""What an entry costs besides its document, also one that says that there is none."""


class CacheRoom:
    """What the caches of a process share: `bytes_max` in all, however many partitions it owns."""

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._bytes = 0
        self._sizes: OrderedDict[tuple[DocumentCache, str], int] = OrderedDict()

    def __len__(self) -> int:
        """How many entries the caches have."""
        return len(self._sizes)

    def use(self, cache: "DocumentCache", address: str) -> None:
        """The entry is the last that goes."""
        self._sizes.move_to_end((cache, address))

    def take(self, cache: "DocumentCache", address: str, size: int) -> None:
        """Room for a new entry; those that were not used for longest go, of whichever cache."""
        self._sizes[cache, address] = size + ENTRY_BYTES_MIN
        self._bytes += size + ENTRY_BYTES_MIN
        while self._bytes > self._bytes_max:
            (other, dropped), freed = self._sizes.popitem(last=False)
            self._bytes -= freed
            other.forget(dropped)

    def free(self, cache: "DocumentCache", address: str) -> None:
        self._bytes -= self._sizes.pop((cache, address))


class DocumentCache:
    """Documents of one partition by address; also those that are known to be absent.

    An entry may go at any moment, with what other partitions put into theirs.
    """

    def __init__(self, room: CacheRoom) -> None:
        self._room = room
        self._entries: dict[str, StoredDocument] = {}

    def __contains__(self, address: str) -> bool:
        return address in self._entries

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, address: str) -> StoredDocument:
        """The document at an address that is in the cache. Raises KeyError when it is not."""
        document = self._entries[address]
        self._room.use(self, address)
        return document

    def put(self, address: str, document: StoredDocument) -> None:
        self.drop(address)
        self._entries[address] = document
        self._room.take(self, address, document.size)

    def drop(self, address: str) -> None:
        if self._entries.pop(address, None) is not None:
            self._room.free(self, address)

    def forget(self, address: str) -> None:
        """There is no room for it any more."""
        del self._entries[address]

    def clear(self) -> None:
        for address in list(self._entries):
            self.drop(address)
