"""The program inside the editor, part 1 of 7: what values show. The parts are joined into one constant text."""
import base64
import ctypes
import hashlib
import hmac
import json
import math
import os
import re
import struct
import threading
import time
import unreal

PIECE = 1500  # longest text of one log line; a line of the editor's log may be cut beyond its own limit
SESSIONS = []  # ids proven by a bridge that can read the project's Saved folder
COUNTERS = {'task': 0}
ASSETS = unreal.EditorAssetLibrary
COMPONENT = (
    'seed activated is_component_partitioned generation_trigger regenerate_in_editor '
    'generate_on_drop_when_trigger_on_demand parse_actor_components input_type'.split()
)
AXES = {
    'Vector': 'x y z', 'Vector2D': 'x y', 'Vector4': 'x y z w', 'Rotator': 'pitch yaw roll', 'Quat': 'x y z w',
    'IntPoint': 'x y', 'IntVector': 'x y z', 'LinearColor': 'r g b a', 'Color': 'r g b a',
}
BAG = {  # property bag type -> (type of the catalogue, part of the helper's name)
    'Bool': ('bool', 'bool'), 'Int32': ('int', 'int32'), 'Float': ('float', 'float'),
    'Double': ('double', 'double'), 'String': ('string', 'string'),
}
DOCUMENTED = re.compile(r'``(\w+)`` \((.+?)\):\s+\[(Read-\w+)\]')
HOLDER = re.compile(r'(Array|Set|Map)[\[(](.+)[\])]$')
WHOLE = ('int32', 'int64', 'int16', 'int8', 'uint32', 'uint64', 'uint16', 'uint8', 'int')
PATHS = ('SoftObjectPath', 'SoftClassPath')
DOCS = {}  # class -> {property: (type, writable)}, read once: a class does not change while the editor runs


class Refusal(Exception):
    def __init__(self, code, message):
        Exception.__init__(self, message)
        self.code = code


def tidy(number):
    """0.10000000149011612 is how a single-precision 0.1 looks: say 0.1."""
    if not math.isfinite(number):
        return None
    try:
        if struct.unpack('f', struct.pack('f', number))[0] == number:
            for digits in range(6, 10):
                short = float('%.*g' % (digits, number))
                if struct.unpack('f', struct.pack('f', short))[0] == number:
                    return short
    except OverflowError:
        pass
    return number


def numbers(value):
    axes = AXES.get(type(value).__name__)
    return None if axes is None else [tidy(float(getattr(value, axis))) for axis in axes.split()]


def documented(cls):
    """Properties of a class with type and access: from its documentation, then its attributes."""
    found = DOCS.get(cls)
    if found is None:
        found = {}
        for base in cls.__mro__:
            for name, kind, access in DOCUMENTED.findall(base.__doc__ or ''):
                found.setdefault(name, (kind, access == 'Read-Write'))
        for name in dir(cls):
            if not name.startswith('_') and not callable(getattr(cls, name, None)):
                found.setdefault(name, ('', True))
        DOCS[cls] = found
    return found


def named_type(kind):
    found = getattr(unreal, kind, None) if kind.isidentifier() else None
    return found if isinstance(found, type) else None


def sample(kind):
    """A fresh value of a documented type: it shows which fields the items of an empty list have."""
    if kind == 'bool':
        return False
    if kind in WHOLE:
        return 0
    if kind in ('float', 'double'):
        return 0.0
    if kind == 'str':
        return ''
    cls = named_type(kind)
    if cls is None:
        return None
    if issubclass(cls, unreal.EnumBase):
        return members(cls)[0] if members(cls) else None
    return cls() if issubclass(cls, (unreal.StructBase, unreal.Name, unreal.Text)) else None


def members(cls):
    found = [getattr(cls, name, None) for name in dir(cls)]
    return sorted((item for item in found if isinstance(item, cls)), key=lambda item: item.value)


def pascal(member):
    return ''.join(word.capitalize() for word in member.split('_'))


# ---- attribute selectors --------------------------------------------------------------------------------------------

def is_selector(value):
    base = getattr(unreal, 'PCGAttributePropertySelector', None)
    return base is not None and isinstance(value, base)


def selector_text(selector):
    """`$Position.Z`, `@Data.Height.X`: as PCG writes them. `get_name` alone loses all but the name."""
    helpers = unreal.PCGAttributePropertySelectorBlueprintHelpers
    exported = selector.export_text()
    chosen = helpers.get_selection(selector).name
    if chosen.startswith('EXTRA'):
        head = '$' + pascal(helpers.get_extra_property(selector).name)
    elif chosen.endswith('PROPERTY'):
        # The text also has the properties that Python has no member for.
        listed = re.search(r'\bPointProperty=(\w+)', exported)
        head = '$' + (listed.group(1) if listed else pascal(helpers.get_point_property(selector).name))
    else:
        head = str(helpers.get_attribute_name(selector))
    domain = re.search(r'\bDomainName="?(\w+)', exported)  # from 5.6
    before = [] if domain is None or domain.group(1) in ('None', '') else ['@' + domain.group(1)]
    return '.'.join(before + [head] + [str(name) for name in helpers.get_extra_names(selector)])


# ---- shapes ---------------------------------------------------------------------------------------------------------

def is_part(owner, value):
    """An instanced object lives inside its owner: it is edited in place, never replaced."""
    return owner is not None and isinstance(value, unreal.Object) and not isinstance(value, unreal.Class) and (
        value.get_path_name().startswith((owner.get_path_name() + '.', owner.get_path_name() + ':')))


def path_text(value):
    text = value.export_text().strip('"\'() ')
    return '' if text == 'None' else text


def item_value(value, kind, depth):
    """Of a struct inside an item only what differs from a fresh one: a mesh has forty settings of its component."""
    shown = shape(value, kind, None, depth)
    if shown['kind'] != 'struct':
        return shown['value']
    fresh = {}
    for name, field in shown['fields'].items():
        inner = field['value']
        if field['kind'] == 'struct':
            usual = shape(type(value.get_editor_property(name))(), '', None, depth)['value']
            inner = {key: item for key, item in inner.items() if item != usual.get(key)}
        fresh[name] = inner
    return fresh


def list_shape(value, kind, depth):
    of = HOLDER.match(kind)
    of = of.group(2) if of else ''
    template = sample(of) if of else next(iter(value), None)
    return {
        'kind': 'list', 'value': [item_value(item, of, depth + 1) for item in list(value)[:1000]],
        'item': None if template is None and named_type(of) is None else shape(template, of, None, depth + 1),
    }


def shape(value, kind='', owner=None, depth=0):
    """A value with its kind, so that the other side can check and convert before it writes."""
    if kind == 'type(Class)' or isinstance(value, unreal.Class):
        return {'kind': 'class', 'value': None if value is None else value.get_path_name()}
    if value is None:
        return {'kind': 'object', 'value': None}
    if isinstance(value, bool):
        return {'kind': 'bool', 'value': value}
    if isinstance(value, int):
        return {'kind': 'int', 'value': value}
    if isinstance(value, float):
        return {'kind': 'float', 'value': tidy(value)}
    if isinstance(value, (str, unreal.Name, unreal.Text)):
        return {'kind': 'text', 'value': str(value)}
    if isinstance(value, unreal.EnumBase):
        return {'kind': 'choice', 'value': value.name, 'values': [item.name for item in members(type(value))]}
    if is_selector(value):
        return {'kind': 'selector', 'value': selector_text(value)}
    if type(value).__name__ in PATHS:
        return {'kind': 'path', 'value': path_text(value)}
    if numbers(value) is not None:
        return {'kind': 'vector', 'value': numbers(value)}
    if type(value).__name__ == 'Transform':
        return {'kind': 'transform', 'value': {
            'location': numbers(value.translation), 'rotation': numbers(value.rotation.rotator()),
            'scale': numbers(value.scale3d)}}
    if isinstance(value, (unreal.Array, unreal.Set)):
        return list_shape(value, kind, depth)
    if isinstance(value, unreal.Map):
        return {'kind': 'map', 'value': {str(key): shape(item, '', None, depth + 1)['value'] for key, item in value.items()}}
    part = is_part(owner, value)
    if part or isinstance(value, unreal.StructBase):
        fields = shapes(value, documented(type(value)), depth + 1) if depth <= 4 else {}
        if part:
            return {'kind': 'part', 'value': {name: field['value'] for name, field in fields.items()}, 'fields': fields,
                    'class': value.get_class().get_name(), 'writable': True}
        if not fields:
            return {'kind': 'opaque', 'value': value.export_text()}
        return {'kind': 'struct', 'value': {name: field['value'] for name, field in fields.items()}, 'fields': fields}
    if isinstance(value, unreal.Object):
        return {'kind': 'object', 'value': value.get_path_name()}
    return {'kind': 'opaque', 'value': str(value)}


def shapes(owner, names, depth=0):
    found = {}
    for name, (kind, writable) in names.items():
        try:
            shown = shape(owner.get_editor_property(name), kind, owner if isinstance(owner, unreal.Object) else None, depth)
            shown.setdefault('writable', bool(writable))
            found[name] = shown
        except Exception:  # a property this version hides or protects is not shown
            continue
    return found
