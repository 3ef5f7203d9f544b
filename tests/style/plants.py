# SPDX-License-Identifier: LGPL-2.1-or-later
"""Faults that the checks of the rooms must find, each planted in a copy."""

import copy
import itertools
import pathlib
import re
import shutil
import tempfile

import layout
from layout import PAGE, ROOT, get_name


class Plant:
    """A copy of the texts, in which faults are planted, one at a time."""

    def __init__(self, directory, house, symbols, commands):
        self.root, self.house = pathlib.Path(directory), house
        shutil.copytree(ROOT / house.folder, self.root / house.folder)
        (self.root / PAGE).parent.mkdir()
        shutil.copy(ROOT / PAGE, self.root / PAGE)
        self.symbols, self.commands = symbols, commands
        self.tree = layout.Tree(ROOT, house)
        self.bottom, self.top = self.tree.rooms[0], self.tree.rooms[-1]
        # a source of the lowest room, a header of the uppermost
        self.low = next(path for path in self.tree.get_files(self.bottom) if path in commands)
        self.high = next(path for path in self.tree.get_files(self.top) if path.endswith(".h"))
        self.wrong = []

    def expect(self, what, pattern, complaints):
        """@complaints has one that matches @pattern."""
        if not any(re.search(pattern, complaint) for complaint in complaints):
            self.wrong.append(f"not found: {what}; found: {complaints[:3] or 'nothing'}")

    def change(self, path, change, check):
        """What @check says of the tree whose file @path is as @change makes it of its text."""
        file = self.root / path
        before = file.read_text() if file.exists() else None
        file.write_text(change(before or ""))
        try:
            return check(layout.Tree(self.root, self.house))
        finally:
            if before is None:
                file.unlink()
            else:
                file.write_text(before)

    def add(self, path, text, check):
        return self.change(self.house.folder / path, lambda before: before + text, check)

    def forget(self, room, check):
        """The uppermost room does not name @room."""
        text = f"{self.house.prefix}_{room}_dep"
        return self.change(self.house.folder / self.top.name / "meson.build", lambda before: before.replace(text, ""), check)

    def call(self, path, function):
        """The symbols if @path called @function, too: as the compiler sees it."""
        planted = f"void {function} (void);\nvoid fasp_planted (void);\nvoid\nfasp_planted (void)\n{{\n  {function} ();\n}}\n"
        output = self.root / "planted.o"
        result = self.commands[path][0].compile(planted, "-c", "-o", str(output))
        if result.returncode:
            self.wrong.append(result.stderr)
            return self.symbols
        symbols = copy.deepcopy(self.symbols)
        for line in layout.run("nm", "-A", str(output)).stdout.splitlines():
            symbols.note(path, line)
        return symbols

    def get_function(self, room):
        """One that @room defines in a source."""
        return next(name for name, stem in sorted(self.symbols.defines.items())
                    if stem.startswith(room.name + "/") and stem + ".c" in self.commands)

    def get_use(self):
        """(user, function, used): two files of a room without circles, and the function that the one uses of the other."""
        circles = {stem for circle, _ in layout.find_file_circles(self.tree, self.symbols) for stem in circle}
        for room in self.tree.rooms:
            edges = self.symbols.get_edges(lambda stem: stem if stem.startswith(room.name + "/") else None)
            for user, used in itertools.product(edges, sorted(self.symbols.uses)):
                if used in edges[user] and not circles & {user, used} and {user + ".c", used + ".c"} <= self.commands.keys():
                    return user, next(name for name in self.symbols.defines if self.symbols.defines[name] == user), used
        return None


def plant_files(plant):
    low, commands = plant.low, plant.commands
    bottom, top = plant.bottom.name, plant.top.name

    def check(tree):
        return layout.check_files(tree, commands, {})

    plant.expect("a file in no room", "faspx.c is in no room", plant.add("faspx.c", "", check))
    plant.expect("a file that is not built", "faspx.c: no meson.build", plant.add(f"{bottom}/faspx.c", "", check))
    plant.expect("a file that is not there", "faspx.c: there is no", plant.add(f"{top}/meson.build", "'faspx.c'", check))
    plant.expect("a file named twice", f"{low} is named twice", plant.add(f"{bottom}/meson.build", f"'{get_name(low)}'", check))
    plant.expect("a file compiled twice", f"{low} is compiled 2 times",
        layout.check_files(plant.tree, commands | {low: commands[low] * 2}, {}))
    plant.expect("two files of a name", f"{get_name(low)}: two", plant.add(f"{top}/{get_name(low)}", "", check))
    plant.expect("a header without a user", "faspx.h: nobody", plant.add(f"{bottom}/faspx.h", "", check))


def plant_uses(plant):
    low, high, bottom, top = plant.low, plant.high, plant.bottom.name, plant.top.name

    def check(tree):
        return layout.check_uses(tree, plant.symbols)

    plant.expect("an include upwards", f"{low} includes {get_name(high)}", plant.add(low, f'\n#include "{get_name(high)}"\n', check))
    # of what the house may use, the lowest room names not all
    strange = [next((ROOT / folder).rglob("*.h")).name for folder in plant.house.brings.values() if folder not in plant.bottom.brings]
    for path in (f"../{high}", high, "gstfaspsettings.h" if plant.house.name == "relay" else "relaystream.h", *strange, *({"config.h"} - plant.house.made)):
        plant.expect(f"an include of {path}", f"includes {path}: that is", plant.add(low, f'\n#include "{path}"\n', check))
    plant.expect("a room named upwards", f"names {top}, which", plant.add(f"{bottom}/meson.build", f"{plant.house.prefix}_{top}_dep", check))
    used = min(plant.top.uses)
    plant.expect("a room used and not named", f"{top} uses {used} and", plant.forget(used, check))
    plant.expect("a room named and not used", "names faspx and does not", plant.add(f"{top}/meson.build", f"{plant.house.prefix}_faspx_dep", check))
    called = layout.check_uses(plant.tree, plant.call(low, plant.get_function(plant.top)))
    plant.expect("a function used upwards", f"{bottom} uses {top} and", called)
    plant.expect("a circle of rooms", "rooms in a circle: ", called)


def plant_path(plant):
    low, bottom = plant.low, plant.bottom
    command = copy.copy(plant.commands[low][0])
    command.words = [*command.words, f"-I{ROOT / plant.house.folder / plant.top.name}"]
    wrong = layout.check_compiler(plant.tree, plant.commands | {low: [command]}, bottom)
    plant.expect("an include path upwards", f"{bottom.name}: the compiler finds {get_name(plant.high)}", wrong)
    plant.expect("an include upwards that compiles", f"{bottom.name}: the compiler does not refuse", wrong)


def plant_circles(plant):
    user, function, used = plant.get_use()
    plant.expect("a circle of functions", rf"files in a circle: (?=.*\b{user}\b)(?=.*\b{used}\b).*({used} uses .*\b{function}\b.* of {user}|{user} uses .* of {used})",
        layout.check_circles(plant.tree, plant.call(used + ".c", function), layout.get_known(plant.house)[0]))
    plant.expect("a circle that is no more", f"{user} is in no circle", layout.check_circles(plant.tree, plant.symbols, {user}))


def plant_structs(plant):
    def check(members):
        text = f"typedef struct {{ {members} }} FaspX;"
        return [wrong for wrong in plant.add(plant.high, text, lambda tree: layout.check_structs(tree, {})) if "FaspX" in wrong]

    forty = "gint a, (*b) (gint x, gint y);" * 20
    plant.expect("41 members", "FaspX has 41 members, 0", check(forty + "gint *c[2];"))
    plant.expect("41 members in a part", "FaspX.part has 41 members, 0", check(f"struct {{ {forty} gint c; }} part;"))
    plant.expect("41 members, some in a part without a name", "FaspX has 41 members, 0", check(f"union {{ {forty} }}; gint c;"))
    plant.expect("six booleans", "FaspX has 7 members, 6", check("gboolean a, b; guint c : 1, d : 1, e : 1, f : 2, g : 1;"))
    if wrong := check(forty) + check("gboolean a, b, c, d, e, *f, (*g) (void); guint h : 2;"):
        plant.wrong.append(f"found, and no fault: {wrong}")
    plant.expect("a struct that is small now", "FaspX is small", layout.check_structs(plant.tree, {"FaspX": (50, 0)}))


def plant_fields(plant):
    def check(leaves):
        text = f"typedef struct {{ gint *a[2]; {leaves} }} FaspX; typedef struct {{ FaspX b, *c; struct {{ FaspX d; }} e; }} FaspY;"
        return plant.add(plant.high, text, lambda tree: [wrong for wrong in layout.check_leaves(tree, layout.Types(tree, {}), {}) if "FaspY" in wrong])

    plant.expect("151 leaf fields", "FaspY has 151 leaf fields", check("gint " + ", ".join(f"f{i}" for i in range(74)) + ";"))
    if wrong := check("gint " + ", ".join(f"f{i}" for i in range(73)) + ";"):
        plant.wrong.append(f"found, and no fault: {wrong}")
    plant.expect("a struct with few leaf fields now", "FaspX has few", layout.check_leaves(plant.tree, layout.Types(plant.tree, {}), {"FaspX": 200}))


def plant_writers(plant):
    def check(assignment, method="void fasp_x_do (FaspX *x);"):
        text = f"\ntypedef struct {{ struct {{ gint c, d; }} b; gint *e; }} FaspX;\n{method}\ntypedef struct {{ FaspX x; }} FaspY;\n"
        function = f"\n\nstatic void\nf (const FaspZ *z, FaspY **y)\n{{\n  {assignment};\n}}\n"
        return plant.add(plant.bottom.name + "/faspx.h", text, lambda _: plant.add(plant.high, function,
            lambda tree: [wrong for wrong in layout.check_writers(tree, layout.Types(tree, {}), {}) if "FaspX" in wrong]))

    for assignment in ("y->x.b.c = 1", "y[0].x.b.c |= 1", "y->x.e[y->x.b.d]++", "++y->x.b.c"):
        plant.expect(f"a member that another room changes: {assignment}", "FaspX is changed by other rooms, by 1 ass", check(assignment))
    if wrong := check("z->x.b.c = y->x.b.c == 1") + check("y->x.b.c = 1", ""):
        plant.wrong.append(f"found, and no fault: {wrong}")
    plant.expect("a struct without writers now", "FaspX is changed by its own", layout.check_writers(plant.tree, layout.Types(plant.tree, {}), {"FaspX": 1}))


def plant_purpose(plant):
    for text in "", "/* SPDX-License-Identifier: LGPL-2.1-or-later */\n":
        plant.expect("a file without a purpose", "does not say", plant.add(plant.bottom.name + "/faspx.h", text, layout.check_purposes))


def plant_drawing(plant):
    if not plant.house.drawn:
        return
    plant.expect("another drawing", "has another drawing",
        plant.change(PAGE, lambda text: text.replace(plant.bottom.purpose, ""), layout.check_picture))
    plant.expect("other build files", "has another drawing", plant.forget(min(plant.top.uses), layout.check_picture))


def check_plants(house, symbols, commands):
    """Which faults are not found?"""
    with tempfile.TemporaryDirectory() as directory:
        plant = Plant(directory, house, symbols, commands)
        for faults in (plant_files, plant_uses, plant_path, plant_circles, plant_structs, plant_fields, plant_writers, plant_purpose, plant_drawing):
            faults(plant)
        return plant.wrong
