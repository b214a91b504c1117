"""DOUBLE of the node classes: types and access from the listing, defaults and pins from a table the test gives."""
import listing
import objects
import pcg
from objects import Array, Class, Map, Name, Object, Quat, Rotator, StructBase, Text, Transform, Vector, Vector2D, Vector4, enum
from pcg import PCGGraphInstance, PCGGraphInterface, PCGSettings, instance, member_name, python_name, selector

for known in vars(pcg).values():
    if isinstance(known, type) and known.__name__.startswith('PCG'):
        listing.MADE[known.__name__] = known


def learn(table, types):
    """Gives the enums of the listing the members that only the table has."""
    for name, prop in table.items():
        kind = types.get(python_name(name), '').split(' ')[0]
        if prop['kind'] == 'struct' and kind in listing.LISTED:
            learn(prop['fields'], listing.own_types(kind))
        elif prop['kind'] == 'choice' and listing.is_a(kind, 'EnumBase'):
            listing.MEMBERS.setdefault(kind, []).extend(member_name(value) for value in prop['values'])


def default_of(wanted, prop):
    """A default of the table as a value of the listed type; nothing where the two do not fit."""
    kind, default = prop['kind'], prop.get('default')
    if isinstance(wanted, type) and issubclass(wanted, pcg.PCGAttributePropertySelector):
        return (lambda: selector(wanted, default)) if kind == 'selector' else wanted
    if isinstance(wanted, type) and issubclass(wanted, objects.EnumBase):
        return getattr(wanted, member_name(str(default)), listing.fresh(wanted))
    if kind == 'struct' and isinstance(wanted, type) and issubclass(wanted, StructBase):
        return lambda: with_fields(wanted, prop['fields'])
    if kind in ('bool', 'int', 'float', 'text') and (isinstance(wanted, str) or wanted in (Name, Text)):
        return float(default) if wanted in ('float', 'double') else default
    if kind == 'vector' and wanted in (Vector, Vector2D, Vector4, Rotator, Quat):
        order = 'pitch yaw roll' if wanted is Rotator else 'x y z w'
        return lambda: wanted(**dict(zip(order.split(), [float(item) for item in default])))
    return listing.fresh(wanted)


def with_fields(struct, fields):
    made = struct()
    for name, prop in fields.items():
        found = struct._props.get(python_name(name))
        if found:
            value = default_of(found[0], prop)
            made._values[python_name(name)] = value() if callable(value) else objects.check(found[0], value, name)
    return made


def spec_of(owner, name, prop):
    """A property of a class that came after the listing: its type is that of the table."""
    kind, default = prop['kind'], prop.get('default')
    if kind in ('bool', 'int', 'float'):
        return ({'bool': 'bool', 'int': 'int32', 'float': 'float'}[kind], float(default) if kind == 'float' else default)
    if kind == 'text':
        return (Name if name.endswith('Name') else 'str'), default
    if kind == 'choice':
        made = enum(owner + name, [member_name(value) for value in prop['values']])
        return made, getattr(made, member_name(default))
    if kind == 'selector':
        cls = pcg.PCGAttributePropertyInputSelector
        return cls, lambda: selector(cls, default)
    if kind == 'vector':
        made = {2: Vector2D, 3: Rotator if 'Rot' in name else Vector, 4: Quat if 'Quat' in name else Vector4}[len(default)]
        return made, lambda: made(*[float(item) for item in default])
    if kind == 'transform':
        return Transform, Transform
    if kind == 'list':
        return (Array, 'int32' if prop['of'] == 'number' else 'str'), lambda: Array(default)
    if kind == 'map':
        return (Map, 'str'), lambda: Map(default)
    if kind == 'struct':
        made = type(owner + name, (StructBase,), {'_props': props_of(owner + name, prop['fields'])})
        return made, made
    return Object, None


def props_of(owner, table):
    found = {}
    for name, prop in table.items():
        spec, default = spec_of(owner, name, prop)
        found[python_name(name)] = (spec, True, default)
    return found


def build(settings, kind, part, chosen):
    made = None if chosen is None else chosen._python._new('%s.%s_0' % (settings._path, chosen._python.__name__))
    settings._values[kind], settings._values[part] = chosen, made


def choose(settings, given):
    """A class property and the instanced object that its setter makes, read-only as a property."""
    kind, part, bases, _first = OBJECTS[type(settings).__name__]
    given = given.static_class() if isinstance(given, type) else given
    if given is not None and not issubclass(given._python, listing.named(bases)):
        raise TypeError('%s: not a %s' % (kind, bases))
    build(settings, kind, part, given)
    return settings._values[part]


class Spawner:
    def set_mesh_selector_type(self, mesh_selector_type):
        choose(self, mesh_selector_type)


class Matcher:
    def set_match_and_set_type(self, match_and_set_type):
        choose(self, match_and_set_type)


class Element:
    def set_element_type(self, element_type):
        return choose(self, element_type)


OBJECTS = {  # class -> class property, part, base of both, first choice
    'PCGStaticMeshSpawnerSettings': ('mesh_selector_type', 'mesh_selector_parameters', 'PCGMeshSelectorBase', 'PCGMeshSelectorWeighted'),
    'PCGPointMatchAndSetSettings': ('match_and_set_type', 'match_and_set_instance', 'PCGMatchAndSetBase', None),
    'PCGBlueprintSettings': ('blueprint_element_type', 'blueprint_element_instance', 'PCGBlueprintElement', None),
}
SETTERS = {'PCGStaticMeshSpawnerSettings': Spawner, 'PCGPointMatchAndSetSettings': Matcher, 'PCGBlueprintSettings': Element}


def equip(cls):
    """Gives a class its instanced part."""
    kind, part, _bases, first = OBJECTS[cls.__name__]
    for name, method in vars(SETTERS[cls.__name__]).items():
        if not name.startswith('_'):
            setattr(cls, name, method)
    before = cls._init

    def started(settings):
        before(settings)
        build(settings, kind, part, None if first is None else listing.named(first).static_class())
    cls._init = started


def settings_classes(types, common):
    """One class for each row of the table; then the abstract, renamed and test classes that only the listing has."""
    for row in types:
        if row['name'] in listing.LISTED:
            learn(row['properties'], listing.own_types(row['name']))
    PCGSettings._props = {}
    base = {python_name(name): prop for name, prop in common.items()}
    types_of_all = listing.own_types('PCGSettings')
    listing.fill(PCGSettings, types_of_all, {
        name: default_of(listing.spec(kind.split(' ')[0]), base[name]) for name, kind in types_of_all.items() if name in base})
    made = {row['name']: settings_class(row) for row in types}
    listing.MADE.update(made)
    for name, row in listing.LISTED.items():
        if name not in made and listing.is_a(name, 'PCGSettings') and not hasattr(pcg, name):
            made[name] = type(name, (PCGSettings,), {'_module': 'PCG', '_abstract': 'Test' not in name and 'BadOutputs' not in name})
    for name in renamed(made):
        made[name].static_class = made[listing.base_of(name)].static_class
    return made


def renamed(made):
    """An old name of a class: a Python type with nothing of its own, whose class is the new one."""
    return [name for name in made if name in listing.LISTED
            and not listing.LISTED[name]['properties'] and not listing.LISTED[name]['methods'] and listing.base_of(name) in made]


def override_pins(row):
    """Each overridable property is an input pin too, under the name that the editor displays."""
    kinds = ('bool', 'int', 'float', 'text', 'choice', 'vector')
    return [python_name(name).replace('_', ' ').title() for name, prop in row['properties'].items() if prop['kind'] in kinds]


def settings_class(row):
    name = row['name']
    subgraph = name == 'PCGSubgraphSettings'
    bases = (pcg.PCGBaseSubgraphSettings if subgraph else PCGSettings,)
    made = type(name, bases, {
        '_module': row['path'].split('/')[-1].split('.')[0],
        '_inputs': ['In'] if subgraph else [pin['label'] for pin in row['inputs']],
        '_overrides': override_pins(row), '_outputs': ['Out'] if subgraph else [pin['label'] for pin in row['outputs']],
        '_single': [pin['label'] for pin in row['inputs'] if pin['single']] + ['Overrides'] + override_pins(row), '_abstract': False,
    })
    if subgraph:
        made._props = {'subgraph_override': (PCGGraphInterface, True, None), 'subgraph_instance': (PCGGraphInstance, False, instance)}
        objects.document(made)
    elif name in listing.LISTED:
        types = {key: kind for key, kind in listing.own_types(name).items() if listing.own_types('PCGSettings').get(key) != kind}
        table = {python_name(key): prop for key, prop in row['properties'].items()}
        listing.fill(made, types, {
            key: default_of(listing.spec(kind.replace(' RO', '')), table[key]) for key, kind in types.items() if key in table})
    else:
        made._props = props_of(name, row['properties'])
        objects.document(made)
    if name in OBJECTS:
        equip(made)
    return made
