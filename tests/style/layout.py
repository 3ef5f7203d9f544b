# SPDX-License-Identifier: LGPL-2.1-or-later
"""The rooms of the core, io, the relay and the tools: what the build files and sources say, what the build made of them, and what is wrong with it.

Each check returns a list of complaints. tests/style/rooms asks them."""

import functools
import itertools
import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile

import ctext

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = pathlib.Path("docs/architecture.md")
# a struct's direct members, and how many of them may be booleans; its leaves: the members of its parts, too
MEMBERS, BOOLEANS, LEAVES = 40, 5, 150


class House:
    """Rooms that a meson.build lists from bottom to top, or one room alone. The dependency of a room is PREFIX_ROOM_dep."""

    def __init__(self, name, folder, prefix, program=None, room=None, brings=None, made=(), beside=(), drawn=False):
        self.name, self.folder, self.prefix, self.room = name, pathlib.Path(folder), prefix, room
        self.program = program      # None, or a file that is compiled if the house is
        # {dependency outside of the house: the folder whose headers it brings}; headers that the build makes
        self.brings, self.made = brings or {}, set(made)
        self.beside = beside        # folders in its own that are houses themselves
        self.drawn = drawn          # in PAGE
        self.begin, self.end = f"<!-- {name}: drawn by tests/style/rooms --picture -->\n", "<!-- end of the drawing -->\n"

    def get_rooms(self, root):
        text = (root / self.folder / "meson.build").read_text()
        return [self.room] if self.room else re.findall(r"^  '(\w+)',$", text, re.MULTILINE)


CORE = House("core", "gst/fasp/core", "fasp", drawn=True)
RELAY = House("relay", "gst/relay", "relay", drawn=True, program="main/relaymain.c", made=["config.h", "relayapiresource.h", "relaypageresource.h"], brings={
    "cbr_engine_dep": "gst/cbrpacer/engine", "common_dep": "gst/common", "fasp_base_dep": "gst/fasp/core/base", "tool_std_dep": "gst/tools", "ts_dep": "gst/ts"})
TOOLS = House("tools", "gst", "tools", program="tools/wping.c", room="tools", made=["config.h"])
IO = House("io", "gst/fasp/io", "faspio", brings=dict.fromkeys(["faspcore_dep", "fasp_crypto_dep", "fasp_path_dep"], CORE.folder))
TS = House("ts", "gst", "ts", room="ts")
COMMON = House("common", "gst", "common", room="common", made=["config.h"], brings={"ts_dep": "gst/ts"})
PACER = House("cbrpacer", "gst/cbrpacer", "cbr", made=["config.h"], brings={"common_dep": "gst/common", "fasp_base_dep": "gst/fasp/core/base", "ts_dep": "gst/ts"})
ELEMENTS = House("elements", "gst/fasp", "gstfasp", made=["config.h"], beside=["core", "io"], brings={
    "common_dep": "gst/common", "faspcore_dep": "gst/fasp/core", "faspio_dep": "gst/fasp/io"})
HOUSES = (CORE, IO, RELAY, TOOLS, TS, COMMON, PACER, ELEMENTS)


class Room:
    """A folder of a house, as its meson.build has it."""

    def __init__(self, name, text, house):
        self.name = name
        comment = re.match(r"# (.*)", text)
        self.purpose = comment.group(1).rstrip(".") if comment else ""
        code = re.sub(r"#.*", "", text)
        self.sources = re.findall(r"'([\w/.-]+\.c)'", code)
        # one of the two is compiled
        self.either = {name for pair in re.findall(r"\?\s*'([\w/.-]+\.c)'\s*:\s*'([\w/.-]+\.c)'", code) for name in pair}
        self.uses = set(re.findall(rf"\b{house.prefix}_(\w+)_dep\b", code)) - {name}
        self.brings = [house.brings[word] for word in re.findall(r"\w+", code) if word in house.brings]


class Tree:
    """What the texts say."""

    def __init__(self, root, house):
        self.root, self.house = root, house
        folder = root / house.folder
        self.rooms = [Room(name, (folder / name / "meson.build").read_text(), house) for name in house.get_rooms(root)]
        self.files = {str(path.relative_to(folder)): path.read_text() for path in sorted((folder / (house.room or "")).rglob("*.[ch]"))
                      if path.relative_to(folder).parts[0] not in house.beside}
        self.where = {path.rpartition("/")[2]: path for path in self.files if path.endswith(".h")}

    def get_room(self, path):
        """None: it is in none."""
        return next((room for room in self.rooms if path.startswith(room.name + "/")), None)

    def get_files(self, room):
        return {path: text for path, text in self.files.items() if path.startswith(room.name + "/")}


def get_stem(path):
    """A source and its header are one file here."""
    return path.rpartition(".")[0]


class Symbols:
    """Which file defines what, and uses what: of objects, and of functions that headers define."""

    def __init__(self, tree, commands):
        self.defines, self.uses = {}, {}
        objects = {str(command.output): path for path, all_of_it in commands.items() for command in all_of_it}
        for line in run("nm", "-A", *objects).stdout.splitlines():
            self.note(objects[line.partition(":")[0]], line)
        self.note_inline(tree)

    def note(self, path, line):
        """A line of nm."""
        kind, name = line.split()[-2:]
        if kind == "U":
            self.uses.setdefault(get_stem(path), set()).add(name)
        elif kind in "TDRBVWC":
            self.defines[name] = get_stem(path)

    def note_inline(self, tree):
        """The compiler leaves no symbol of these."""
        bodies = [(path, *function) for path, text in tree.files.items() if path.endswith(".h")
                  for function in ctext.get_functions(text)]
        inline = {name for _, name, _ in bodies}
        self.defines |= {name: get_stem(path) for path, name, _ in bodies}
        for path, _, body in bodies:
            self.uses.setdefault(get_stem(path), set()).update(re.findall(r"\w+", body))
        for path, text in tree.files.items():
            self.uses.setdefault(get_stem(path), set()).update(inline.intersection(re.findall(r"\w+", ctext.get_code(text))))

    def get_edges(self, select):
        """{user: {used: names}}; @select makes a node of a file: None is none."""
        edges = {}
        for user, names in self.uses.items():
            for name in names & self.defines.keys():
                a, b = select(user), select(self.defines[name])
                if a and b and a != b:
                    edges.setdefault(a, {}).setdefault(b, set()).add(name)
        return edges


class Command:
    """How the build compiles a file."""

    def __init__(self, entry):
        self.directory = pathlib.Path(entry["directory"])
        self.output = self.directory / entry["output"]
        self.text, self.file = entry["command"], entry["file"]

    @functools.cached_property
    def words(self):
        """Without the names of files."""
        words = shlex.split(self.text)
        return [word for word, before in zip(words, ["", *words])
                if before not in ("-o", "-MF", "-MQ") and word not in ("ccache", "-o", "-MF", "-MQ", "-MD", "-c", self.file)]

    def compile(self, text, *options):
        """The same for @text instead. Nothing comes of it but what is said, without -o in @options."""
        with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
            file.write(text)
            file.flush()
            return subprocess.run([*self.words, "-fdiagnostics-color=never", *(options or ["-fsyntax-only"]), file.name], cwd=self.directory,
                env=os.environ | {"LC_ALL": "C"}, capture_output=True, text=True)


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True)


def get_commands(build, tree):
    """{file of the house: how it is compiled into the product, each time}"""
    commands = {}
    folder = ROOT / tree.house.folder
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = (pathlib.Path(entry["directory"]) / entry["file"]).resolve()
        if path.is_relative_to(folder) and str(path.relative_to(folder)) in tree.files and entry["output"].startswith("gst/"):
            commands.setdefault(str(path.relative_to(folder)), []).append(Command(entry))
    return commands


# --- each file is in a room


def check_files(tree, commands, others):
    """@others: the texts of all that is outside of the house, but may use its headers."""
    named = [f"{room.name}/{source}" for room in tree.rooms for source in room.sources]
    either = {f"{room.name}/{source}" for room in tree.rooms for source in room.either}
    sources = {path for path in tree.files if path.endswith(".c")}
    wrong = [f"{path} is in no room" for path in tree.files if not tree.get_room(path)]
    wrong += [f"{path}: no meson.build names it" for path in sorted(sources - set(named))]
    wrong += [f"{path}: there is no such file" for path in sorted(set(named) - sources)]
    wrong += [f"{path} is named twice" for path in sorted({path for path in named if named.count(path) > 1})]
    for path in sorted(sources & set(named)):
        times = len(commands.get(path, []))
        if times != 1 and not (times == 0 and path in either):
            wrong.append(f"{path} is compiled {times} times")
    twice = {path for path in tree.files if list(map(get_name, tree.files)).count(get_name(path)) > 1}
    wrong += [f"{path}: two files have this name" for path in sorted(twice)]
    users = {(get_name(name), user) for user, text in [*tree.files.items(), *others.items()]
             for name in ctext.get_includes(text)}
    for path in tree.where.values():
        if not any(get_name(path) == name and get_stem(user) != get_stem(path) for name, user in users):
            wrong.append(f"{path}: nobody else includes it")
    return wrong


def get_name(path):
    return path.rpartition("/")[2]


def get_others(tree):
    own = {tree.root / tree.house.folder / path for path in tree.files}
    return {str(path.relative_to(tree.root)): path.read_text() for folder in ("gst", "tests", "examples")
            for path in (tree.root / folder).rglob("*.[ch]") if path not in own}


# --- each file says what it is for


def get_purposes(tree, room):
    """{file: the first sentence of its first comment}, of headers, and of sources without one; "": it says nothing."""
    files = tree.get_files(room)
    return {path: get_purpose(path, text) for path, text in sorted(files.items()) if path.endswith(".h") or f"{get_stem(path)}.h" not in files}


def get_purpose(path, text):
    comment = re.search(r"SPDX-License-Identifier: [\w.-]+(.*?)\*/", text, re.DOTALL)
    words = " ".join(re.sub(r"^ \*", "", comment[1], flags=re.MULTILINE).split()) if comment else ""
    words = words.removeprefix(get_name(path)).removeprefix(get_name(get_stem(path))).removeprefix(": ")
    return re.match(r"(.*?)(?:\.(?= |$)|$)", words)[1]


def check_purposes(tree):
    return [f"{path} does not say in its first comment what it is for" for room in tree.rooms
            for path, purpose in get_purposes(tree, room).items() if not purpose]


# --- nothing points upwards


def get_included_rooms(tree, room):
    """{room: the includes that use it}; None for what is no header of the house, nor of what the room's meson.build names."""
    found, outside = {}, tree.house.made.union(*(map(get_name, map(str, (ROOT / folder).rglob("*.h"))) for folder in room.brings))
    for path, text in tree.get_files(room).items():
        for name in ctext.get_includes(text):
            other = tree.get_room(tree.where.get(name, ""))
            if other is not room and (other or name not in outside):
                found.setdefault(other and other.name, set()).add(f"{path} includes {name}")
    return found


def get_room_edges(tree, symbols):
    """{room: {room: the functions that it uses}}"""
    return symbols.get_edges(lambda stem: (room := tree.get_room(stem)) and room.name)


def check_uses(tree, symbols):
    """Each room uses what it names, and names what it uses; what it names is below it."""
    wrong, below = [], set()
    edges = get_room_edges(tree, symbols)
    for room in tree.rooms:
        wrong += [f"{room.name} names {name}, which is not below it" for name in sorted(room.uses - below)]
        included, called = get_included_rooms(tree, room), edges.get(room.name, {})
        strange = included.pop(None, set())
        wrong += [f"{what}: that is a path, or no header of what its meson.build names" for what in sorted(strange)]
        for name in sorted((included.keys() | called.keys()) - room.uses):
            what = sorted(included.get(name, [])) + sorted(called.get(name, []))
            wrong.append(f"{room.name} uses {name} and does not name it: " + ", ".join(what[:5]))
        for name in sorted(room.uses - included.keys() - called.keys()):
            wrong.append(f"{room.name} names {name} and does not use it")
        below.add(room.name)
    return wrong + [f"rooms in a circle: {show_circle(circle, edges)}" for circle in find_circles(edges)]


def check_compiler(tree, commands, only=None):
    """Does the compiler of each room find the headers of the rooms that it names, of those below them, and no others?"""
    wrong, allowed = [], {}
    headers = [(get_name(path), path) for room in tree.rooms for path in tree.get_files(room) if path.endswith(".h")]
    asked = "".join(f'#if __has_include("{name}")\n"{name}"\n#endif\n' for pair in headers for name in pair)
    for room in tree.rooms:
        allowed[room.name] = {room.name}.union(*(allowed.get(name, ()) for name in room.uses))
        if only not in (None, room):
            continue
        command = next(commands[path][0] for path in tree.get_files(room) if path in commands)
        found = set(re.findall(r'^"(.+)"$', command.compile(asked, "-E").stdout, re.MULTILINE))
        expected = {name for name, path in headers if tree.get_room(path).name in allowed[room.name]}
        wrong += [f"{room.name}: the compiler finds {name}" for name in sorted(found - expected)]
        wrong += [f"{room.name}: the compiler does not find {name}" for name in sorted(expected - found)]
        # and indeed: a file that includes the uppermost of these compiles, one that includes one above them does not
        for name in [name for name, _ in headers if name in expected][-1:]:
            if command.compile(f'#include "{name}"\n').returncode:
                wrong.append(f"{room.name}: a file that includes {name} does not compile")
        for name in [name for name, _ in headers if name not in expected][-1:]:
            said = command.compile(f'#include "{name}"\n').stderr
            if not re.search(rf"fatal error: '?{name}(: No such|' file not found)", said):
                wrong.append(f"{room.name}: the compiler does not refuse a file that includes {name}")
    return wrong


# --- nothing goes in circles


def find_circles(edges):
    """Sets of nodes that reach each other."""
    reached = {}
    for start in edges:
        todo, seen = [start], set()
        while todo:
            new = edges.get(todo.pop(), {}).keys() - seen
            seen |= new
            todo += new
        reached[start] = seen
    circles = {frozenset(b for b in reached if b in reached[a] and a in reached[b]) for a in edges}
    return sorted((sorted(circle) for circle in circles if circle), key=str)


def get_order(circle, edges):
    """The nodes from bottom to top, so that few functions point upwards."""
    def weigh(order):
        return sum(len(edges.get(a, {}).get(b, ())) for a, b in itertools.combinations(order, 2))
    order, best = list(circle), weigh(circle)
    better = True
    while better:
        better = False
        for node, at in itertools.product(circle, range(len(circle))):
            rest = [other for other in order if other != node]
            tried = rest[:at] + [node] + rest[at:]
            if weigh(tried) < best:
                order, best, better = tried, weigh(tried), True
    return order


def show_circle(circle, edges):
    """Its nodes from bottom to top, and the functions that close it, which point upwards."""
    order = get_order(circle, edges)
    closing = [f"{a} uses {', '.join(sorted(edges[a][b]))} of {b}" for a, b in itertools.combinations(order, 2)
               if edges.get(a, {}).get(b)]
    return " < ".join(order) + "; but " + "; ".join(closing)


def find_file_circles(tree, symbols):
    """[(circle, edges)] of the files of each room."""
    for room in tree.rooms:
        edges = symbols.get_edges(lambda stem: stem if stem.startswith(room.name + "/") else None)
        yield from ((circle, edges) for circle in find_circles(edges))


def check_circles(tree, symbols, known):
    wrong, found = [], set()
    for circle, edges in find_file_circles(tree, symbols):
        found |= set(circle)
        if not known.issuperset(circle):
            wrong.append(f"files in a circle: {show_circle(circle, edges)}")
    return wrong + [f"{stem} is in no circle any more: take it out of rooms.known" for stem in sorted(known - found)]


# --- structs


def get_structs(tree):
    """{(file, name): (members, booleans)}"""
    return {(path, name): size for path, text in tree.files.items() for name, size in ctext.get_sizes(text).items()}


def check_structs(tree, known):
    """@known: {name: (members, booleans)}, which they may have."""
    wrong, found = [], set()
    for (path, name), (members, booleans) in get_structs(tree).items():
        allowed = known.get(name, (MEMBERS, BOOLEANS))
        if members > MEMBERS or booleans > BOOLEANS:
            found.add(name)
        if members > allowed[0] or booleans > allowed[1]:
            wrong.append(f"{path}: {name} has {members} members, {booleans} booleans; it may have {allowed[0]} and {allowed[1]}")
    return wrong + [f"{name} is small enough now: take it out of rooms.known" for name in sorted(known.keys() - found)]


class Types:
    """The structs of a house, and those outside of it that its headers may use."""

    def __init__(self, tree, others):
        # of several headers with one name, those of the house count
        self.texts = {path: text for path, text in others.items() if path.startswith("gst/")} | tree.files
        self.where = {name: path for path, text in self.texts.items() if path.endswith(".h") for name in ctext.get_structs(text)}

    def find(self, name, path):
        """(file, members) of the struct that a text calls @name; None: it is no struct of ours."""
        path = path if name in ctext.get_structs(self.texts[path]) else self.where.get(name)
        return path and (path, ctext.get_structs(self.texts[path])[name])

    def count_leaves(self, path, members):
        """A pointer is one, and so is an array of what is no struct."""
        return sum(self.count_leaves(*part) if member.is_direct and (part := self.get_part(path, member)) else 1 for member in members)

    def get_part(self, path, member):
        return (path, member.inside) if member.inside is not None else self.find(member.kind, path)

    def find_owner(self, path, kind, names):
        """The file and name of the struct whose member is reached by @names, from a variable of type @kind; None: not ours."""
        part = self.find(kind, path)
        for name in names[:-1]:
            member = part and next((member for member in part[1] if member.name == name), None)
            kind = member and (member.kind or kind)
            part = member and self.get_part(part[0], member)
        return part and (part[0], kind)


def check_leaves(tree, types, known):
    """@known: {name: leaves}, which they may have."""
    wrong, found = [], set()
    for path, text in tree.files.items():
        for name, members in ctext.get_structs(text).items():
            leaves = types.count_leaves(path, members)
            if leaves > LEAVES:
                found.add(name)
            if leaves > known.get(name, LEAVES):
                wrong.append(f"{path}: {name} has {leaves} leaf fields; it may have {known.get(name, LEAVES)}")
    return wrong + [f"{name} has few leaf fields now: take it out of rooms.known" for name in sorted(known.keys() - found)]


def get_writers(tree, types):
    """{struct: {(file of another room, member that it assigns)}} of the structs that functions of their own room change."""
    writers = {}
    for path, text in types.texts.items():
        for kind, names in ctext.get_writes(text):
            owner, name = types.find_owner(path, kind, names) or (None, None)
            room = owner in tree.files and tree.get_room(owner)
            if room and (path not in tree.files or tree.get_room(path) is not room) and any(
                    name in ctext.get_methods(own) for own in tree.get_files(room).values()):
                writers.setdefault(name, set()).add((path, names[-1]))
    return writers


def check_writers(tree, types, known):
    """@known: {name of a struct: how many assignments of other rooms it may have}."""
    writers = get_writers(tree, types)
    wrong = [f"{name} is changed by other rooms, by {len(found)} assignments; {known.get(name, 0)} are allowed: "
             + ", ".join(f"{path} ({member})" for path, member in sorted(found))
             for name, found in sorted(writers.items()) if len(found) > known.get(name, 0)]
    return wrong + [f"{name} is changed by its own room alone: take it out of rooms.known" for name in sorted(known.keys() - writers.keys())]


def get_known(house):
    """What rooms.known has of @house: files in circles; structs and their sizes; leaf fields;
    assignments of other rooms."""
    lines = [line.split() for line in (HERE / "rooms.known").read_text().splitlines() if line and line[0] != "#"]
    lines = [(kind, *words) for kind, name, *words in lines if name == house.name]
    return ({words[1] for words in lines if words[0] == "circle"},
        {words[1]: (int(words[2]), int(words[3])) for words in lines if words[0] == "struct"},
        *({words[1]: int(words[2]) for words in lines if words[0] == kind} for kind in ("leaves", "writers")))


# --- the picture


def draw(tree):
    """Rooms from bottom to top; what a room uses is at the foot of the columns of its marks."""
    names = [room.name for room in tree.rooms]
    rows = []
    for i, room in enumerate(tree.rooms):
        marks = "".join("● " if name in room.uses else "· " for name in names[:i])
        rows.append((f"{marks}{room.name}", room.purpose))
    width = max(len(row) for row, _ in rows) + 2
    lines = "".join(f" {row:{width}}{purpose}".rstrip() + "\n" for row, purpose in reversed(rows))
    return "```\n" + lines + "```\n"


def get_page_parts(tree):
    """What is before the drawing, and behind it."""
    before, begin, rest = (tree.root / PAGE).read_text().partition(tree.house.begin)
    return before + begin, tree.house.end + rest.partition(tree.house.end)[2]


def check_picture(tree):
    if not tree.house.drawn:
        return []
    before, behind = get_page_parts(tree)
    as_drawn = (tree.root / PAGE).read_text() == before + draw(tree) + behind
    return [] if as_drawn else [f"{PAGE} has another drawing than the build files: run tests/style/rooms --picture"]
