"""Decoded documents between batches, least recently used first out.

They stay valid because the fence names its commit: as long as the fence is the one that this owner
wrote or read, nobody else can have changed a document. The owner empties the cache when it is not.
"""

from collections import OrderedDict

from storage.documents import StoredDocument

ENTRY_BYTES_MIN = 512
"""What an entry costs besides its document, also one that says that there is none."""


class DocumentCache:
    """Documents by address, bounded by their bytes; also those that are known to be absent."""

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._bytes = 0
        self._entries: OrderedDict[str, StoredDocument] = OrderedDict()

    def __contains__(self, address: str) -> bool:
        return address in self._entries

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, address: str) -> StoredDocument:
        """The document at an address that is in the cache. Raises KeyError when it is not."""
        self._entries.move_to_end(address)
        return self._entries[address]

    def put(self, address: str, document: StoredDocument) -> None:
        self.drop(address)
        self._entries[address] = document
        self._bytes += document.size + ENTRY_BYTES_MIN
        while self._bytes > self._bytes_max:
            _, dropped = self._entries.popitem(last=False)
            self._bytes -= dropped.size + ENTRY_BYTES_MIN

    def drop(self, address: str) -> None:
        document = self._entries.pop(address, None)
        if document is not None:
            self._bytes -= document.size + ENTRY_BYTES_MIN

    def clear(self) -> None:
        self._entries.clear()
        self._bytes = 0
