# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a text in C contains, as far as that can be said without a compiler: for tests/style/rooms."""

import functools
import re

TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|[^/"\']+|.', re.S)
STRUCT = re.compile(r"\b(struct|union)\s*(\w*)\s*\{")
OPEN, CLOSE = "([{", ")]}"


@functools.cache
def get_code(text):
    """@text without comments, with as many lines; strings are empty."""
    def plain(token):
        if token.startswith(("/*", "//")):
            return " " + "\n" * token.count("\n")
        return token[0] + token[-1] if token[0] in "\"'" and len(token) > 1 else token
    return "".join(plain(token) for token in TOKEN.findall(text))


def get_lines(text):
    """How many lines have code on them."""
    without = "".join(" " if token.startswith(("/*", "//")) else token for token in TOKEN.findall(text))
    return sum(bool(line.strip()) for line in without.splitlines())


@functools.cache
def get_includes(text):
    """The files that are included in quotation marks, in order."""
    return re.findall(r'^#\s*include\s+"([^"]+)"', text, re.MULTILINE)


@functools.cache
def get_functions(text):
    """[(name, its body)] of the functions that @text defines, as clang-format writes them."""
    code = get_code(text)
    found = []
    for match in re.finditer(r"^\{\n(.*?)^\}", code, re.MULTILINE | re.DOTALL):
        head = code[:match.start()].rstrip()
        if head.endswith(")"):
            name = re.search(r"^(?:\w[\w ]*[* ])?(\w+) \([^;{}]*\Z", head, re.MULTILINE)
            found.append((name.group(1) if name else "?", match.group(1)))
    return found


def find_end(code, at):
    """The place of the bracket that closes the one at @at."""
    depth = 0
    for i in range(at, len(code)):
        depth += (code[i] in OPEN) - (code[i] in CLOSE)
        if depth == 0:
            return i
    return len(code)


def split(code, at):
    """@code in parts, at each @at that no bracket encloses."""
    parts, depth = [""], 0
    for char in code:
        depth += (char in OPEN) - (char in CLOSE)
        if char == at and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts if part.strip()]


def is_boolean(declarator, kind):
    """gboolean, or one bit; a pointer to it, or a function that returns it, is none."""
    bits = re.search(r":\s*(\w+)$", declarator)
    if bits:
        return bits.group(1) == "1" or kind == "gboolean"
    return kind == "gboolean" and not re.search(r"[*(]", declarator)


def measure(body, name, found):
    """Adds {name: (members, booleans)} of each struct within @body, the inside of the braces of @name, to @found.
    Returns what @name has. The members of one without a name are members of what it is in."""
    members = booleans = 0
    for statement in split(body, ";"):
        inner = STRUCT.search(statement)
        if inner:
            end = find_end(statement, inner.end() - 1)
            declarators = split(statement[end + 1:], ",")
            nested = name + "." + (declarators[0] if declarators else inner.group(1))
            inside = measure(statement[inner.end():end], nested, found)
            if declarators:
                members += len(declarators)
                found[nested] = inside
            else:
                members, booleans = members + inside[0], booleans + inside[1]
            continue
        declarators = split(statement, ",")
        kind = re.match(r"(?:const\s+)?(\w+)", statement).group(1)
        members += len(declarators)
        # the first one has the type before it
        first = re.sub(r"^(?:const\s+)?(?:(?:struct|union|enum|unsigned)\s+)?\w+", "", declarators[0])
        booleans += sum(is_boolean(declarator, kind) for declarator in [first, *declarators[1:]])
    return members, booleans


@functools.cache
def get_structs(text):
    """{name: (direct members, how many of them are booleans)} of the structs that @text defines."""
    code = re.sub(r"^#(?:\\\n|[^\n])*", "", get_code(text), flags=re.MULTILINE)
    found, at = {}, 0
    while match := STRUCT.search(code, at):
        at = find_end(code, match.end() - 1)
        behind = re.match(r"\s*(\w+)", code[at + 1:])
        name = behind.group(1) if behind else match.group(2).lstrip("_")
        found[name] = measure(code[match.end():at], name, found)
    return found
