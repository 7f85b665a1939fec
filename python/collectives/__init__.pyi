# SPDX-License-Identifier: BSD-3-Clause
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, Literal, TypeVar, TypedDict, overload

from numpy.typing import DTypeLike, NDArray
from typing_extensions import Unpack


T = TypeVar("T")
X = TypeVar("X")
Memory = Any
"""A NumPy array, or an object with the buffer protocol or DLPack: contiguous, in host memory."""
Operator = Literal["sum", "product", "min", "max", "average", "bit_and", "bit_or", "bit_xor",
                   "logical_and", "logical_or"]

class Options(TypedDict, total=False):
    algorithm: str | None
    segment: int | None
    reproducible: bool
    timeout: float | None

class Pending(Generic[T]):
    def test(self) -> bool: ...
    def wait(self) -> T: ...

class Communicator:
    @property
    def rank(self) -> int: ...
    @property
    def size(self) -> int: ...
    @overload
    def all_reduce(
        self,
        x: X, op: Operator = ..., out: None = ...,
        wait: Literal[True] = ...,
        **how: Unpack[Options],
    ) -> X: ...
    @overload
    def all_reduce(
        self,
        x: X, op: Operator = ..., out: None = ...,
        *, wait: Literal[False],
        **how: Unpack[Options],
    ) -> Pending[X]: ...
    @overload
    def all_reduce(
        self,
        x: Memory, op: Operator = ..., out: X = ...,
        wait: Literal[True] = ...,
        **how: Unpack[Options],
    ) -> X: ...
    @overload
    def all_reduce(
        self,
        x: Memory, op: Operator = ..., out: X = ...,
        *, wait: Literal[False],
        **how: Unpack[Options],
    ) -> Pending[X]: ...
    @overload
    def reduce(
        self,
        x: Memory, op: Operator = ..., root: int = ..., out: Memory | None = ...,
        wait: Literal[True] = ...,
        **how: Unpack[Options],
    ) -> Any: ...
    @overload
    def reduce(
        self,
        x: Memory, op: Operator = ..., root: int = ..., out: Memory | None = ...,
        *, wait: Literal[False],
        **how: Unpack[Options],
    ) -> Pending[Any]: ...
    @overload
    def reduce_scatter(
        self,
        x: Memory, op: Operator = ..., out: Memory | None = ..., counts: Iterable[int] | None = ...,
        wait: Literal[True] = ...,
        **how: Unpack[Options],
    ) -> Any: ...
    @overload
    def reduce_scatter(
        self,
        x: Memory, op: Operator = ..., out: Memory | None = ..., counts: Iterable[int] | None = ...,
        *, wait: Literal[False],
        **how: Unpack[Options],
    ) -> Pending[Any]: ...
    @overload
    def broadcast(
        self,
        x: X, root: int = ...,
        wait: Literal[True] = ...,
        **how: Unpack[Options],
    ) -> X: ...
    @overload
    def broadcast(
        self,
        x: X, root: int = ...,
        *, wait: Literal[False],
        **how: Unpack[Options],
    ) -> Pending[X]: ...
    @overload
    def all_gather(
        self,
        x: Memory, out: Memory | None = ..., counts: Iterable[int] | None = ...,
        wait: Literal[True] = ...,
        **how: Unpack[Options],
    ) -> Any: ...
    @overload
    def all_gather(
        self,
        x: Memory, out: Memory | None = ..., counts: Iterable[int] | None = ...,
        *, wait: Literal[False],
        **how: Unpack[Options],
    ) -> Pending[Any]: ...
    @overload
    def gather(
        self,
        x: Memory, root: int = ..., out: Memory | None = ..., counts: Iterable[int] | None = ...,
        wait: Literal[True] = ...,
        **how: Unpack[Options],
    ) -> Any: ...
    @overload
    def gather(
        self,
        x: Memory, root: int = ..., out: Memory | None = ..., counts: Iterable[int] | None = ...,
        *, wait: Literal[False],
        **how: Unpack[Options],
    ) -> Pending[Any]: ...
    @overload
    def scatter(
        self,
        x: Memory | None, out: X, root: int = ..., counts: Iterable[int] | None = ...,
        wait: Literal[True] = ...,
        **how: Unpack[Options],
    ) -> X: ...
    @overload
    def scatter(
        self,
        x: Memory | None, out: X, root: int = ..., counts: Iterable[int] | None = ...,
        *, wait: Literal[False],
        **how: Unpack[Options],
    ) -> Pending[X]: ...
    @overload
    def all_to_all(
        self,
        x: Memory, out: Memory | None = ...,
        wait: Literal[True] = ...,
        **how: Unpack[Options],
    ) -> Any: ...
    @overload
    def all_to_all(
        self,
        x: Memory, out: Memory | None = ...,
        *, wait: Literal[False],
        **how: Unpack[Options],
    ) -> Pending[Any]: ...
    @overload
    def barrier(self, wait: Literal[True] = ..., **how: Unpack[Options]) -> None: ...
    @overload
    def barrier(self, *, wait: Literal[False], **how: Unpack[Options]) -> Pending[None]: ...
    @overload
    def send(
        self,
        x: Memory, to: int, tag: int = ...,
        wait: Literal[True] = ...,
        **how: Unpack[Options],
    ) -> None: ...
    @overload
    def send(
        self,
        x: Memory, to: int, tag: int = ...,
        *, wait: Literal[False],
        **how: Unpack[Options],
    ) -> Pending[None]: ...
    @overload
    def recv(
        self,
        x: X, source: int, tag: int = ...,
        wait: Literal[True] = ...,
        **how: Unpack[Options],
    ) -> X: ...
    @overload
    def recv(
        self,
        x: X, source: int, tag: int = ...,
        *, wait: Literal[False],
        **how: Unpack[Options],
    ) -> Pending[X]: ...
    def split(self, color: int, key: int = ...) -> Communicator: ...
    def shrink(self, timeout: float | None = ...) -> Communicator: ...
    def abort(self, why: str) -> None: ...
    def explain(self, nbytes: int, collective: str = ...) -> str: ...
    def empty(self, shape: int | Sequence[int], dtype: DTypeLike = ...) -> NDArray[Any]: ...
    def fuse(self, op: Operator = ..., threshold: int = ..., **how: Unpack[Options]) -> Fusion: ...
    def broadcast_object(self, obj: T | None = ..., root: int = ..., **how: Unpack[Options]) -> T: ...
    def gather_object(self, obj: T, root: int = ..., **how: Unpack[Options]) -> list[T] | None: ...
    def all_gather_object(self, obj: T, **how: Unpack[Options]) -> list[T]: ...
    def scatter_object(
        self, objs: Iterable[T] | None = ..., root: int = ..., **how: Unpack[Options]
    ) -> T: ...
    def send_object(self, obj: Any, to: int, tag: int = ..., **how: Unpack[Options]) -> None: ...
    def recv_object(self, source: int, tag: int = ..., **how: Unpack[Options]) -> Any: ...

class Fusion:
    def all_reduce(self, x: Memory, name: str = ...) -> None: ...
    def flush(self) -> None: ...
    def __enter__(self) -> Fusion: ...
    def __exit__(self, type: Any, value: Any, traceback: Any) -> None: ...

class Proof:
    @property
    def ok(self) -> bool: ...
    @property
    def what(self) -> str: ...
    @property
    def rank(self) -> int: ...
    @property
    def round(self) -> int: ...
    @property
    def chunk(self) -> int: ...
    @property
    def order_preserving(self) -> bool: ...
    @property
    def position_independent(self) -> bool: ...
    @property
    def left_fold(self) -> bool: ...
    def __bool__(self) -> bool: ...

class Traffic:
    @property
    def sent(self) -> int: ...
    @property
    def received(self) -> int: ...
    @property
    def reduced(self) -> int: ...

class Cost:
    class Bound:
        @property
        def rounds(self) -> int: ...
        @property
        def sent(self) -> int: ...
        @property
        def reduced(self) -> int: ...

    @property
    def rounds(self) -> int: ...
    @property
    def busiest(self) -> Traffic: ...
    @property
    def ranks(self) -> list[Traffic]: ...
    @property
    def total(self) -> int: ...
    @property
    def bound(self) -> Bound: ...

class Error(RuntimeError): ...
class UsageError(Error): ...
class MismatchError(Error): ...

class TimeoutError(Error):
    missing: list[int]

class PeerLostError(Error):
    peer: int

class TransportError(Error): ...

class RunError(Error):
    rank: int
    exit_status: int
    signal: int
    traceback: str

algorithms: list[str]

def init(timeout: float | None = ...) -> Communicator: ...
def run(
    size: int,
    f: Callable[..., T],
    *args: Any,
    start: Literal["auto", "fork", "fresh"] = ...,
) -> list[T]: ...
def check(algorithm: str, size: int, collective: str = ..., root: int = ...) -> Proof: ...
def cost(
    algorithm: str, size: int, nbytes: int, collective: str = ..., root: int = ...
) -> Cost: ...
