# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a text in C contains, as far as that can be said without a compiler: for tests/style/rooms."""

import functools
import re

TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|[^/"\']+|.', re.S)
STRUCT = re.compile(r"\b(struct|union)\s*(\w*)\s*\{")
# a variable or argument: its type and name; what is assigned to, with what is before and behind it
VARIABLE = re.compile(r"\b([A-Z]\w+) \**(\w+)(?=\s*[,;=)\[])")
CHAIN = re.compile(r"(\+\+|--|)\b([a-z]\w*)((?:\[[^\]]*\])?(?:(?:->|\.)\w+(?:\[[^\]]*\])*)+)\s*(=(?!=)|[-+*/|&^%]=|<<=|>>=|\+\+|--|)")
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


class Member:
    """Of a struct. @kind: its type; @inside: the members of a struct that is written in its place, or None.
    @is_direct: it is no pointer to that, and no function. @is_boolean: a gboolean, or one bit."""

    def __init__(self, declarator, kind, inside=None):
        self.name = re.search(r"\w+", declarator).group()
        self.kind, self.inside = kind, inside
        self.is_direct = not re.search(r"[*(]", declarator)
        bits = re.search(r":\s*(\w+)$", declarator)
        self.is_boolean = bits.group(1) == "1" if bits and kind != "gboolean" else kind == "gboolean" and self.is_direct


def get_members(body):
    """Those that are declared in @body, the inside of a struct's braces. Those of one without a name count as its own."""
    for statement in split(body, ";"):
        inner = STRUCT.search(statement)
        if inner:
            end = find_end(statement, inner.end() - 1)
            inside, declarators = [*get_members(statement[inner.end():end])], split(statement[end + 1:], ",")
            yield from [Member(declarator, None, inside) for declarator in declarators] or inside
            continue
        declarators = split(statement, ",")
        # the first one has the type before it
        head = re.match(r"(?:const\s+)?(?:(?:struct|union|enum|unsigned)\s+)?(\w+)", declarators[0])
        yield from (Member(declarator, head.group(1)) for declarator in [declarators[0][head.end():], *declarators[1:]])


@functools.cache
def get_structs(text):
    """{name: its members} of the structs that @text defines."""
    code = re.sub(r"^#(?:\\\n|[^\n])*", "", get_code(text), flags=re.MULTILINE)
    found, at = {}, 0
    while match := STRUCT.search(code, at):
        at = find_end(code, match.end() - 1)
        behind = re.match(r"\s*(\w+)", code[at + 1:])
        found[behind.group(1) if behind else match.group(2).lstrip("_")] = [*get_members(code[match.end():at])]
    return found


@functools.cache
def get_sizes(text):
    """{name: (direct members, how many of them are booleans)} of the structs that @text defines, and of those within them."""
    def measure(name, members):
        found[name] = len(members), sum(member.is_boolean for member in members)
        for member in members:
            if member.inside is not None:
                measure(f"{name}.{member.name}", member.inside)
    found = {}
    for name, members in get_structs(text).items():
        measure(name, members)
    return found


@functools.cache
def get_writes(text):
    """[(type of a variable, names of members)] for each assignment to a member of a struct in a function of @text."""
    code, found = re.sub(r"FASP_EACH_SESSION \(\w+, ", "for (FaspSession *", get_code(text)), []
    for match in re.finditer(r"^\{\n.*?^\}", code, re.MULTILINE | re.DOTALL):
        begin = code.rfind("\n\n", 0, match.start())
        kinds = {name: kind for kind, name in VARIABLE.findall(code[max(begin, 0):match.end()])}
        found += [(kinds[name], re.findall(r"\w+", re.sub(r"\[[^\]]*\]", "", path))) for before, name, path, behind in CHAIN.findall(match.group())
                  if (before or behind) and name in kinds]
    return found


@functools.cache
def get_methods(text):
    """The types of which a function that @text declares or defines may change one, its first argument."""
    return set(re.findall(r"\w \(([A-Z]\w+) \*", get_code(text)))
