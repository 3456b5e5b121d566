"""Tokenises the lines of a file with the reference WordPiece and prints the ids of each line as a JSON array, one per line.

usage: tokens_reference.py TOKENIZER FILE

TOKENIZER is the teacher's `tokenizer.json` (or a `table.bin`: then the same normaliser and model over the table's vocabulary). A line ends
only at `\\n`, which the last one does not need; nothing is truncated, no special token is added, and `[SEP]` in a text is text.
"""
import json
import pathlib
import sys

from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer


def of_words(vocabulary: list) -> Tokenizer:
    """BERT's uncased WordPiece over a vocabulary in the order of its ids."""
    t = Tokenizer(WordPiece({w: i for i, w in enumerate(vocabulary)}, unk_token="[UNK]", max_input_chars_per_word=100))
    t.normalizer = BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True)
    t.pre_tokenizer = BertPreTokenizer()
    return t


def of_file(path: pathlib.Path) -> Tokenizer:
    if path.suffix == ".json":
        said = json.loads(path.read_text(encoding="utf-8"))
        said.update(truncation=None, padding=None, added_tokens=[], post_processor=None)
        return Tokenizer.from_str(json.dumps(said))
    raw = path.read_bytes()
    # The two fields of the header with the position of the vocabulary: README.md, "The file".
    start, length = (int.from_bytes(raw[at:at + 8], "little") for at in (32, 40))
    return of_words(raw[start:start + length].decode().split("\n")[:-1])


def main(tokenizer: str, file: str) -> None:
    t = of_file(pathlib.Path(tokenizer))
    lines = pathlib.Path(file).read_bytes().decode("utf-8").split("\n")
    if lines[-1] == "":
        lines.pop()
    for at in range(0, len(lines), 4096):
        for e in t.encode_batch(lines[at:at + 4096], add_special_tokens=False):
            print(json.dumps(e.ids, separators=(",", ":")))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
