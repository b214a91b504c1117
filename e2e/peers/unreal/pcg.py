"""DOUBLE of the PCG classes: node classes come from a table the test gives, graphs behave as documented."""
import re
from objects import (
    Array, Map, Name, Object, Quat, Rotator, Set, StructBase, Text, Transform, Vector, Vector2D, Vector4, enum,
)


def python_name(name):
    name = re.sub(r'^In(?=[A-Z])', '', re.sub(r'^b(?=[A-Z])', '', name))
    return re.sub(r'([A-Z]+)([A-Z][a-z])', r'\1_\2', re.sub(r'([a-z0-9])([A-Z])', r'\1_\2', name)).lower()


def member_name(value):
    return re.sub(r'\W', '_', re.sub(r'(?<=[a-z0-9])(?=[A-Z])', '_', value)).upper()


class PCGData(Object):
    _module = 'PCG'


class PCGPointData(PCGData):
    pass


class PCGVolumeData(PCGData):
    pass


class PCGParamData(PCGData):
    pass


class PCGSettingsInterface(PCGData):
    pass


class PCGSettings(PCGSettingsInterface):
    pass


class PCGBaseSubgraphSettings(PCGSettings):
    pass


class PCGMetadataSettingsBase(PCGSettings):
    pass


class PCGAttributePropertySelector(StructBase):
    def __init__(self, name='@Last'):
        StructBase.__init__(self)
        self._name = name

    def copy(self):
        return type(self)(self._name)


class PCGAttributePropertyInputSelector(PCGAttributePropertySelector):
    pass


PCGPointProperties = enum('PCGPointProperties', 'DENSITY EXTENTS COLOR POSITION ROTATION SCALE TRANSFORM STEEPNESS SEED'.split())
PCGExtraProperties = enum('PCGExtraProperties', ['INDEX'])
PCGChangeType = enum('PCGChangeType', 'NONE COSMETIC SETTINGS INPUT EDGE NODE STRUCTURAL'.split())


class PCGAttributePropertySelectorBlueprintHelpers(Object):
    @classmethod
    def get_name(cls, selector):
        return Name(selector._name)

    @classmethod
    def set_attribute_name(cls, selector, name):
        return type(selector)(str(name))

    @classmethod
    def set_point_property(cls, selector, chosen):
        return type(selector)('$' + chosen.name.title().replace('_', ''))

    @classmethod
    def set_extra_property(cls, selector, chosen):
        return type(selector)('$' + chosen.name.title())


class PCGEdge(Object):
    """Up to 5.7 it tells nothing of its ends."""
    _module = 'PCG'


class PCGPinProperties(StructBase):
    _props = {'label': (Name, True, 'None'), 'allow_multiple_data': ('bool', True, True), 'allow_multiple_connections': ('bool', True, True)}


class PCGPin(Object):
    _module = 'PCG'
    _props = {'edges': ((Array, PCGEdge), True, Array), 'properties': (PCGPinProperties, True, PCGPinProperties)}


class PCGNode(Object):
    _module = 'PCG'
    _props = {
        'node_title': (Name, True, 'None'), 'input_pins': ((Array, PCGPin), False, Array),
        'output_pins': ((Array, PCGPin), False, Array),
    }

    def get_settings(self):
        return self._settings

    def get_node_position(self):
        return self._position

    def set_node_position(self, x, y):
        self._position = (x, y)


class PCGGraphInterface(Object):
    _module = 'PCG'


class InstancedPropertyBag(StructBase):
    """Python sees no fields: only its exported text."""

    def copy(self):
        return self

    def export_text(self):
        said = ','.join(
            '(ValueTypeObject=None,ID=00000000000000000000000000000000,Name="%s",ValueType=%s,MetaData=((Key="Tip",Value="a (b), c")))'
            % (name, kind) for name, (kind, _value) in self._bag.items())
        return '(PropertyDescs=(%s))' % said if said else '()'


def bag():
    made = InstancedPropertyBag()
    made._bag = {}
    return made


class PCGGraph(PCGGraphInterface):
    _props = {
        'nodes': ((Array, PCGNode), False, Array), 'input_node': (PCGNode, False, None), 'output_node': (PCGNode, False, None),
        'user_parameters': (InstancedPropertyBag, True, bag), 'title': (Text, True, ''),
    }

    def _init(self):
        Object._init(self)
        self._serials, self._edges = {}, 0
        self._values['input_node'] = self._node('DefaultInputNode', None, [], ['In'])
        self._values['output_node'] = self._node('DefaultOutputNode', None, ['Out'], [])

    def _node(self, name, settings, inputs, outputs, single=()):
        node = PCGNode._new('%s:%s' % (self._path, name))
        node._settings, node._position, node._graph = settings, (0, 0), self
        for key, labels in (('input_pins', inputs), ('output_pins', outputs)):
            for label in labels:
                pin = PCGPin._new('%s:%s.%s_%s' % (self._path, name, key, label))
                pin._node = node
                pin._values['properties'] = PCGPinProperties(Name(label), True, label not in single)
                node._values[key].append(pin)
        return node

    def get_input_node(self):
        return self._values['input_node']

    def get_output_node(self):
        return self._values['output_node']

    def add_node_of_type(self, settings_class):
        if not (isinstance(settings_class, type) and issubclass(settings_class, PCGSettings)) or not hasattr(settings_class, '_inputs'):
            return None
        stem = settings_class.__name__[3:].replace('Settings', '')
        serial = self._serials.get(stem, -1) + 1
        self._serials[stem] = serial
        name = '%s_%d' % (stem, serial)
        settings = settings_class._new('%s:%s.%s' % (self._path, name, settings_class.__name__))
        advanced = ['Overrides', 'Execution Dependency']
        node = self._node(name, settings, settings_class._inputs + advanced, settings_class._outputs, settings_class._single)
        self._values['nodes'].append(node)
        return node, settings

    def _pin(self, node, key, label):
        return next((pin for pin in node._values[key] if pin._values['properties']._values['label'] == str(label)), None)

    def add_edge(self, source, from_label, target, to_label):
        """Silent when it does nothing: unknown label, or the same edge again."""
        a, b = self._pin(source, 'output_pins', from_label), self._pin(target, 'input_pins', to_label)
        if a is None or b is None or any(edge in b._values['edges'] for edge in a._values['edges']):
            return target
        if not b._values['properties']._values['allow_multiple_connections']:
            for edge in list(b._values['edges']):
                self._drop(edge)
        self._edges += 1
        edge = PCGEdge._new('%s:Edge_%d' % (self._path, self._edges))
        edge._ends = (a, b)
        a._values['edges'].append(edge)
        b._values['edges'].append(edge)
        return target

    def _drop(self, edge):
        for pin in edge._ends:
            pin._values['edges'] = Array([one for one in pin._values['edges'] if one is not edge])

    def remove_edge(self, source, from_label, target, to_label):
        a, b = self._pin(source, 'output_pins', from_label), self._pin(target, 'input_pins', to_label)
        found = [edge for edge in (a._values['edges'] if a and b else []) if edge._ends == (a, b)]
        for edge in found:
            self._drop(edge)
        return bool(found)

    def remove_node(self, node):
        for pin in list(node._values['input_pins']) + list(node._values['output_pins']):
            for edge in list(pin._values['edges']):
                self._drop(edge)
        self._values['nodes'] = Array([one for one in self._values['nodes'] if one is not node])

    def force_notification_for_editor(self, change_type=PCGChangeType.STRUCTURAL):
        pass


class PCGGraphInstance(PCGGraphInterface):
    _props = {'graph': (PCGGraphInterface, True, None)}


def instance():
    return PCGGraphInstance._new('/Engine/Transient.PCGGraphInstance')


class PCGTaggedData(StructBase):
    _props = {'data': (PCGData, True, None), 'tags': ((Set, 'str'), True, Set), 'pin': (Name, True, 'None')}


class PCGDataCollection(StructBase):
    _props = {'tagged_data': ((Array, PCGTaggedData), True, Array)}


class PCGGraphFactory(Object):
    def __init__(self):
        self._init()


def parameter_helpers():
    """One getter and one setter for each type; a name that is not there is only logged."""
    defaults = {'bool': ('Bool', False), 'int32': ('Int32', 0), 'float': ('Float', 0.0), 'double': ('Double', 0.0), 'string': ('String', '')}
    members = {}
    for part, (kind, empty) in defaults.items():
        def read(_cls, graph, name, kind=kind, empty=empty):
            stored = graph._values['user_parameters']._bag.get(str(name))
            return stored[1] if stored and stored[0] == kind else empty

        def write(_cls, graph, name, value, kind=kind):
            stored = graph._values['user_parameters']._bag
            if str(name) in stored and stored[str(name)][0] == kind:
                stored[str(name)] = (kind, value)

        members['get_%s_parameter' % part] = classmethod(read)
        members['set_%s_parameter' % part] = classmethod(write)
    return type('PCGGraphParametersHelpers', (Object,), members)


PCGGraphParametersHelpers = parameter_helpers()


def spec_of(owner, name, prop):
    """The type of one property of the table."""
    kind, default = prop['kind'], prop.get('default')
    if kind == 'bool':
        return 'bool', default
    if kind == 'int':
        return 'int32', int(default)
    if kind == 'float':
        return 'float', float(default)
    if kind == 'text':
        return (Text if name in ('Category', 'Description') else Name if name.endswith('Name') else 'str'), default
    if kind == 'choice':
        made = enum(owner + name, [member_name(value) for value in prop['values']])
        return made, getattr(made, member_name(default))
    if kind == 'selector':
        return PCGAttributePropertyInputSelector, lambda: PCGAttributePropertyInputSelector(default)
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
        made = struct_of(owner + name, prop['fields'])
        return made, made
    return Object, None


def props_of(owner, table):
    found = {}
    for name, prop in table.items():
        spec, default = spec_of(owner, name, prop)
        found[python_name(name)] = (spec, True, default)
    return found


def struct_of(name, fields):
    return type(name, (StructBase,), {'_props': props_of(name, fields)})


def settings_classes(types, common):
    """One class for each row of the table, plus the abstract ones above them."""
    made = {}
    PCGSettings._props = props_of('PCGSettings', common)
    for row in types:
        module = row['path'].split('/')[-1].split('.')[0]
        subgraph = row['name'] == 'PCGSubgraphSettings'
        props = {} if subgraph else props_of(row['name'], row['properties'])
        if subgraph:
            props = {'subgraph_override': (PCGGraphInterface, True, None), 'subgraph_instance': (PCGGraphInstance, False, instance)}
        made[row['name']] = type(row['name'], (PCGBaseSubgraphSettings if subgraph else PCGSettings,), {
            '_module': module, '_props': props, '_inputs': ['In'] if subgraph else [pin['label'] for pin in row['inputs']],
            '_outputs': ['Out'] if subgraph else [pin['label'] for pin in row['outputs']],
            '_single': [pin['label'] for pin in row['inputs'] if pin['single']] + ['Overrides'],
        })
    documented(PCGSettings)
    return made


def documented(cls):
    """The base got its properties after it was made: document them now."""
    lines = ['- ``%s`` (%s):  [Read-Write] %s' % (name, name, name) for name in cls._props]
    cls.__doc__ = cls.__name__ + '\n' + '\n'.join(lines)
