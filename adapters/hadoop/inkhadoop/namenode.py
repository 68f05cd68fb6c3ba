"""Where the NameNodes are: from the authority of hdfs://AUTHORITY/path to the addresses of WebHDFS."""

from __future__ import annotations

from .conf import Configuration
from .failure import USAGE, Failure

RPC_PORT = 8020
HTTP_PORT = 9870
ANY_HOST = ("", "0.0.0.0", "::", "[::]")
Address = tuple[str, int]


def split_address(text: str, port: int) -> Address:
    """Host and port of HOST[:PORT]."""
    text = text.strip().removeprefix("http://")
    host, colon, digits = text.rpartition(":")
    if not colon or digits.endswith("]"):
        return text.strip("[]"), port
    try:
        return host.strip("[]"), int(digits)
    except ValueError:
        raise Failure(f"address {text}, expected HOST:PORT", USAGE) from None


def join_address(address: Address) -> str:
    """HOST:PORT."""
    host, port = address
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def default_authority(conf: Configuration) -> str:
    """The authority of fs.defaultFS, which has to be HDFS."""
    default = conf.text("fs.defaultFS")
    scheme, _, rest = default.partition("://")
    if scheme != "hdfs" or not rest.strip("/"):
        raise Failure(f"fs.defaultFS is {default}, expected hdfs://HOST:PORT", USAGE)
    return rest.strip("/")


def nodes_of(conf: Configuration) -> list[tuple[str, str]]:
    """Service and suffix of names (".ns", ".ns.nn1") of every NameNode that is configured by name."""
    found = []
    for service in conf.words("dfs.nameservices"):
        nodes = conf.words(f"dfs.ha.namenodes.{service}")
        found += [(service, f".{service}.{node}") for node in nodes] or [(service, f".{service}")]
    return found


def http_address(conf: Configuration, suffix: str, rpc_host: str) -> Address:
    """The HTTP address of a NameNode; one that listens everywhere is where its RPC is."""
    text = conf.find(f"dfs.namenode.http-address{suffix}") or conf.text("dfs.namenode.http-address")
    host, port = split_address(text, HTTP_PORT)
    return (rpc_host if host in ANY_HOST else host), port


def web_addresses(conf: Configuration, authority: str) -> list[Address]:
    """Where WebHDFS of a path's NameNodes is: one, or several of which one is active."""
    nodes = nodes_of(conf)
    named = [suffix for service, suffix in nodes if service == authority]
    if named:
        return [
            http_address(
                conf, suffix, split_address(conf.text(f"dfs.namenode.rpc-address{suffix}"), RPC_PORT)[0]
            )
            for suffix in named
        ]
    wanted = split_address(authority, RPC_PORT)
    for _, suffix in nodes:
        if split_address(conf.text(f"dfs.namenode.rpc-address{suffix}"), RPC_PORT) == wanted:
            return [http_address(conf, suffix, wanted[0])]
    address = http_address(conf, "", wanted[0])
    default = conf.text("fs.defaultFS").partition("://")[2].strip("/")
    return [address if split_address(default, RPC_PORT) == wanted else (wanted[0], address[1])]
