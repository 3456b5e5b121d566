"""The server for agents, started with `uvx` from the wheel by the official Python client.

The variable `EXCERPT_WHEEL` names the wheel.
"""

import asyncio
import os
import shutil
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

WHEEL = os.environ.get("EXCERPT_WHEEL")
UVX = shutil.which("uvx", path=str(Path(sys.executable).parent))


@pytest.mark.skipif(WHEEL is None or UVX is None, reason="needs EXCERPT_WHEEL and uv")
def test_uvx_starts_the_server_that_an_agent_talks_to(notes: Path, tmp_path: Path) -> None:
    assert UVX is not None
    environment = {"HOME": str(tmp_path / "home"), "UV_CACHE_DIR": str(tmp_path / "uv"), "PATH": os.environ["PATH"]}
    arguments = ["--offline", "--python", sys.executable, "--from", str(WHEEL), "excerpt", "mcp", str(notes)]
    server = StdioServerParameters(command=UVX, args=arguments, env=environment)

    async def talk() -> str:
        async with Client(stdio_client(server)) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            assert {"search", "get"} <= tools
            answer = await client.call_tool("search", {"query": "how hot is the water for green tea"})
            return str(answer.content[0])

    assert "tea.md" in asyncio.run(talk())
