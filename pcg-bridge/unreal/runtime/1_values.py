"""The program inside the editor, part 1 of 4: what values show and take. The parts are joined into one constant text."""
import base64
import hashlib
import hmac
import json
import math
import os
import re
import struct
import unreal

PIECE = 1500  # longest text of one log line; a line of the editor's log may be cut beyond its own limit
SESSIONS = []  # ids proven by a bridge that can read the project's Saved folder
TASKS = {}  # running tools of the editor's own toolsets, by id
COUNTERS = {'task': 0}
ASSETS = unreal.EditorAssetLibrary
TOOLSET = 'PCGToolset.PCGToolset'
ABSTRACT = frozenset(
    'PCGSettings PCGSettingsInterface PCGSettingsInstance PCGBaseSubgraphSettings PCGSettingsWithDynamicInputs '
    'PCGTrivialSettings PCGMetadataSettingsBase PCGControlFlowSettings PCGFilterDataBaseSettings '
    'PCGExternalDataSettings PCGNamedRerouteBaseSettings PCGComputeGraphSettings PCGGridLinkageSettings '
    'PCGDynamicMeshBaseSettings PCGGraphInputOutputSettings'.split()
)
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
DOCUMENTED = re.compile(r'``(\w+)``\s+\(.*\):\s+\[(Read-\w+)\]')


class Refusal(Exception):
    def __init__(self, code, message):
        Exception.__init__(self, message)
        self.code = code


# ---- what an object shows -------------------------------------------------------------------------------------------

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


def property_names(value):
    """Names with whether they can be written: from the documentation of the class, then from its attributes."""
    found = {}
    for cls in type(value).__mro__:
        for name, access in DOCUMENTED.findall(cls.__doc__ or ''):
            found.setdefault(name, access == 'Read-Write')
    for name in dir(type(value)):
        if not name.startswith('_') and not callable(getattr(type(value), name, None)):
            found.setdefault(name, True)
    return found


def is_selector(value):
    base = getattr(unreal, 'PCGAttributePropertySelector', None)
    return base is not None and isinstance(value, base)


def shape(value, depth=0):
    """A value with its kind, so that the other side can check and convert before it writes."""
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
        names = [name for name in dir(type(value)) if isinstance(getattr(type(value), name, None), type(value))]
        return {'kind': 'choice', 'value': value.name, 'values': sorted(names, key=lambda n: getattr(type(value), n).value)}
    if is_selector(value):
        return {'kind': 'selector', 'value': str(unreal.PCGAttributePropertySelectorBlueprintHelpers.get_name(value))}
    if numbers(value) is not None:
        return {'kind': 'vector', 'value': numbers(value)}
    if type(value).__name__ == 'Transform':
        return {'kind': 'transform', 'value': {
            'location': numbers(value.translation), 'rotation': numbers(value.rotation.rotator()),
            'scale': numbers(value.scale3d)}}
    if isinstance(value, (unreal.Array, unreal.Set)):
        return {'kind': 'list', 'value': [shape(item, depth + 1)['value'] for item in list(value)[:1000]]}
    if isinstance(value, unreal.Map):
        return {'kind': 'map', 'value': {str(key): shape(item, depth + 1)['value'] for key, item in value.items()}}
    if isinstance(value, unreal.StructBase):
        if depth > 4:
            return {'kind': 'opaque', 'value': value.export_text()}
        fields = shapes(value, property_names(value), depth + 1)
        if not fields:
            return {'kind': 'opaque', 'value': value.export_text()}
        return {'kind': 'struct', 'value': {name: field['value'] for name, field in fields.items()}, 'fields': fields}
    if isinstance(value, unreal.Object):
        return {'kind': 'object', 'value': value.get_path_name()}
    return {'kind': 'opaque', 'value': str(value)}


def shapes(owner, names, depth=0):
    found = {}
    for name in names:
        try:
            found[name] = shape(owner.get_editor_property(name), depth)
            found[name]['writable'] = bool(names[name])
        except Exception:  # a property this version hides or protects is not shown
            continue
    return found


# ---- what an object takes -------------------------------------------------------------------------------------------

def select(selector, name):
    helpers = unreal.PCGAttributePropertySelectorBlueprintHelpers
    member = re.sub(r'(?<=[a-z0-9])(?=[A-Z])', '_', name[1:]).upper()
    if name.startswith('$') and hasattr(unreal.PCGPointProperties, member):
        return helpers.set_point_property(selector, getattr(unreal.PCGPointProperties, member)) or selector
    if name.startswith('$') and hasattr(unreal.PCGExtraProperties, member):
        return helpers.set_extra_property(selector, getattr(unreal.PCGExtraProperties, member)) or selector
    return helpers.set_attribute_name(selector, name) or selector


def convert(current, wanted):
    """JSON as the type the property has now."""
    if isinstance(current, float):
        return float(wanted)
    if isinstance(current, (bool, int, str)):
        return wanted
    if isinstance(current, (unreal.Name, unreal.Text)):
        return type(current)(wanted)
    if isinstance(current, unreal.EnumBase):
        return getattr(type(current), wanted)
    if is_selector(current):
        return select(current, wanted)
    if numbers(current) is not None:
        axes = AXES[type(current).__name__].split()
        whole = type(current).__name__ in ('Color', 'IntPoint', 'IntVector')
        return type(current)(**{axis: int(item) if whole else item for axis, item in zip(axes, wanted)})
    if type(current).__name__ == 'Transform':
        at, turn, size = wanted['location'], wanted['rotation'], wanted['scale']
        return unreal.Transform(
            location=unreal.Vector(*at), rotation=unreal.Rotator(pitch=turn[0], yaw=turn[1], roll=turn[2]),
            scale=unreal.Vector(*size))
    if isinstance(current, (unreal.Array, unreal.Set)):
        first = list(current)[0] if len(current) else None
        return [item if first is None else convert(first, item) for item in wanted]
    if isinstance(current, unreal.StructBase) and isinstance(wanted, dict):
        copy = current.copy()
        for name, item in wanted.items():
            copy.set_editor_property(name, convert(copy.get_editor_property(name), item))
        return copy
    if wanted is None:
        return None
    if isinstance(wanted, str):
        found = ASSETS.load_asset(wanted) if ASSETS.does_asset_exist(wanted) else None
        if found is None:
            raise Refusal('INVALID_ARGUMENT', 'There is no asset ' + wanted)
        return found
    raise Refusal('TYPE_MISMATCH', 'A value of type %s cannot be written' % type(current).__name__)
