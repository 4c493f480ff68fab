"""Reads and rewrites leaves of a machine file (Protobuf text) in place: what is not rewritten keeps its text, byte for byte."""
import re

WIDTH = 120
_TOKEN = re.compile(r'\s+|#[^\n]*|"(?:[^"\\]|\\.)*"|[A-Za-z_][A-Za-z0-9_]*|-?[0-9][0-9A-Za-z.+-]*|[{}:\[\],;<>]')


def _tokens(text):
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ValueError(f"line {text.count(chr(10), 0, at) + 1}: unexpected {text[at]!r}")
        if not match[0].isspace() and not match[0].startswith("#"):
            yield match[0], at, match.end()
        at = match.end()


class Leaf:
    """One `key { value: ... }`: its place in the text, its fields in order of writing."""

    def __init__(self, path, begin, end, indent, fields):
        self.path, self.begin, self.end, self.indent, self.fields = path, begin, end, indent, fields


def leaves(text):
    """All leaves by dotted path."""
    found = {}
    stack = []  # (name, begin, fields)
    tokens = list(_tokens(text))
    i = 0
    while i < len(tokens):
        word, begin, end = tokens[i]
        if word == "}":
            name, start, fields = stack.pop()
            if "value" in fields:
                path = ".".join([entry[0] for entry in stack] + [name])
                indent = start - (text.rfind("\n", 0, start) + 1)
                found[path] = Leaf(path, start, end, indent, fields)
            i += 1
        elif tokens[i + 1][0] == "{":
            stack.append((word, begin, {}))
            i += 2
        elif tokens[i + 1][0] == ":":
            i += 2
            parts = []
            if tokens[i][0] == "[":
                while tokens[i][0] != "]":
                    parts.append(tokens[i][0])
                    i += 1
                parts.append("]")
                value = "".join(parts).replace(",", ", ")
                i += 1
            elif tokens[i][0].startswith('"'):
                while i < len(tokens) and tokens[i][0].startswith('"'):
                    parts.append(tokens[i][0])
                    i += 1
                value = parts[0] if len(parts) == 1 else '"' + "".join(part[1:-1] for part in parts) + '"'
            else:
                value = tokens[i][0]
                i += 1
            if stack:
                stack[-1][2][word] = value
        else:
            raise ValueError(f"line {text.count(chr(10), 0, begin) + 1}: {word!r} without value")
    return found


def render(leaf, fields):
    """The leaf's text: one line if it fits, otherwise its fields filled into lines."""
    name = leaf.path.rsplit(".", 1)[-1]
    words = [f"{key}: {value}" for key, value in fields.items()]
    one_line = f"{name} {{ {' '.join(words)} }}"
    if leaf.indent + len(one_line) <= WIDTH:
        return one_line
    inner = " " * (leaf.indent + 2)
    lines, current = [], ""
    for word in words:
        if current and len(inner) + len(current) + 1 + len(word) > WIDTH:
            lines.append(inner + current)
            current = word
        else:
            current = f"{current} {word}" if current else word
    lines.append(inner + current)
    return f"{name} {{\n" + "\n".join(lines) + "\n" + " " * leaf.indent + "}"


def rewrite(text, changes):
    """The text with the leaves in `changes` (path: fields) rendered anew."""
    found = leaves(text)
    missing = sorted(set(changes) - set(found))
    if missing:
        raise KeyError(f"no such key: {', '.join(missing)}")
    for path in sorted(changes, key=lambda p: -found[p].begin):
        leaf = found[path]
        text = text[:leaf.begin] + render(leaf, changes[path]) + text[leaf.end:]
    return text
