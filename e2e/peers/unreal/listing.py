"""DOUBLE, its classes from the listing of the Python API: what the listing does not name does not exist here."""
import json
import os
import objects
from objects import Array, Class, Map, Name, Object, Set, StructBase, Text, enum

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'corpora', 'unreal', 'python-api.json')
with open(FILE) as opened:
    LISTED = json.load(opened)
CORE = {name: getattr(objects, name) for name in (
    'Vector Vector2D Vector4 Rotator Quat Transform Color LinearColor TopLevelAssetPath SoftObjectPath SoftClassPath').split()}
MADE = dict(CORE)  # by name: what was built or given
MEMBERS = {}  # enum -> members known from elsewhere: the listing has none with an underscore


# Bases that the listing names without describing them.
BASES = {'SoftISMComponentDescriptor': 'StructBase', 'PartitionActor': 'Actor'}


def base_of(name):
    base = LISTED.get(name, {}).get('base', '').split(',')[0]
    return BASES.get(base, base)


def is_a(name, wanted):
    while name in LISTED:
        if name == wanted:
            return True
        name = base_of(name)
    return name == wanted


def own_types(name):
    """Properties of a class with their types, those of its bases first."""
    found = own_types(base_of(name)) if base_of(name) in LISTED else {}
    return dict(found, **LISTED[name].get('types', {}))


def named(name):
    """The class of that name, built when it is first asked for; an unlisted one has nothing in it."""
    if name in MADE:
        return MADE[name]
    if is_a(name, 'EnumBase'):
        members = list(dict.fromkeys(LISTED[name].get('values', []) + MEMBERS.get(name, [])))
        MADE[name] = enum(name, members or ['NONE'])
    elif name in LISTED and is_a(name, 'StructBase'):
        MADE[name] = type(name, (StructBase,), {})
        fill(MADE[name], own_types(name))
    elif name in LISTED:
        base = base_of(name)
        MADE[name] = type(name, (named(base) if base in LISTED and base != 'Object' else Object,), {'_module': 'PCG'})
        fill(MADE[name], LISTED[name].get('types', {}))
    else:
        # A type from outside the listing: a reference that only null can fill.
        MADE[name] = type(name, (Object,), {})
    return MADE[name]


def fill(cls, types, defaults=None):
    cls._props = {}
    for name, text in types.items():
        kind, writable = (text[:-3], False) if text.endswith(' RO') else (text, True)
        cls._props[name] = (spec(kind), writable, (defaults or {}).get(name, fresh(spec(kind))))
    objects.document(cls)


def spec(kind):
    """A type of the listing as `objects.check` takes it."""
    if kind in ('bool', 'int32', 'float', 'double', 'str'):
        return kind
    if kind in ('int64', 'uint32', 'uint8', 'uint64'):
        return 'int32'
    if kind == 'type(Class)':
        return Class
    holder, _, of = kind.partition('[')
    if of and holder in ('Array', 'Set'):
        return ({'Array': Array, 'Set': Set}[holder], spec(of[:-1]))
    if of and holder == 'Map':
        return (Map, spec(of[:-1].partition(',')[2].strip()))
    return {'Name': Name, 'Text': Text}.get(kind) or named(kind)


def fresh(wanted):
    if isinstance(wanted, tuple):
        return wanted[0]
    if isinstance(wanted, str):
        return {'bool': False, 'int32': 0, 'str': ''}.get(wanted, 0.0)
    if wanted in (Name, Text):
        return 'None' if wanted is Name else ''
    if issubclass(wanted, objects.EnumBase):
        return min((item for item in vars(wanted).values() if isinstance(item, wanted)), key=lambda item: item.value)
    return wanted if issubclass(wanted, StructBase) else None
