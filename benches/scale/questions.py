"""Questions made from the texts of a corpus, and a client that asks them over MCP."""

import json
import random
import re
import subprocess
import sys
import time

from measure import memory_of
from corpora import sorted_files

WORD = re.compile(r"[A-Za-z_]{3,}")
FEWEST, MOST = 3, 8


def questions(folder, count, seed):
    """As many questions, each of 3 to 8 words that follow each other in a line of a file."""
    chance = random.Random(f"{seed} questions")
    files = sorted_files(folder)
    asked, tries = [], 0
    while len(asked) < count:
        tries += 1
        if tries > 100 * count:
            sys.exit("the corpus has too few lines to make questions from")
        lines = chance.choice(files).read_text(encoding="utf-8", errors="replace").splitlines()
        lines = [words for line in lines if len(words := WORD.findall(line)) >= FEWEST]
        if lines:
            words = chance.choice(lines)
            length = min(len(words), chance.randint(FEWEST, MOST))
            start = chance.randint(0, len(words) - length)
            asked.append(" ".join(words[start : start + length]))
    return asked


def longest_word(question):
    return max(question.split(), key=len)


class Server:
    """`excerpt mcp`, and the client of it."""

    def __init__(self, command, folder, environment):
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.count = 0
        client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self.ask("initialize", client)
        self.tell({"method": "notifications/initialized"})

    def tell(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.count += 1
        self.tell({"id": self.count, "method": method, "params": params})
        while line := self.process.stdout.readline():
            answer = json.loads(line)
            if answer.get("id") == self.count:
                return answer["result"]
        sys.exit("the MCP server has ended")

    def seconds_to_answer(self, question):
        begin = time.perf_counter()
        answer = self.ask("tools/call", {"name": "search", "arguments": {"query": question}})
        seconds = time.perf_counter() - begin
        if answer.get("isError"):
            sys.exit(f"{question}: {answer}")
        return seconds

    def memory(self):
        return memory_of(self.process.pid)

    def end(self):
        self.process.stdin.close()
        if self.process.wait() != 0:
            sys.exit(f"the MCP server ended with {self.process.returncode}")
