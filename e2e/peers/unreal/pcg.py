"""DOUBLE of the PCG classes: node classes come from a table the test gives, graphs behave as documented."""
import re
import listing
from objects import (
    Array, Class, Map, Name, Object, Quat, Rotator, Set, StructBase, Text, Transform, Vector, Vector2D, Vector4, enum,
)


def python_name(name):
    name = re.sub(r'^In(?=[A-Z])', '', re.sub(r'^b(?=[A-Z])', '', name))
    return re.sub(r'([A-Z]+)([A-Z][a-z])', r'\1_\2', re.sub(r'([a-z0-9])([A-Z])', r'\1_\2', name)).lower()


def member_name(value):
    return re.sub(r'\W', '_', re.sub(r'(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])', '_', value)).upper()


class PCGData(Object):
    _module = 'PCG'


class PCGPointData(PCGData):
    pass


class PCGVolumeData(PCGData):
    pass


class PCGParamData(PCGData):
    pass


class PCGSettingsInterface(PCGData):
    _abstract = True


class PCGSettings(PCGSettingsInterface):
    _abstract = True


class PCGBaseSubgraphSettings(PCGSettings):
    _abstract = True


class PCGMetadataSettingsBase(PCGSettings):
    _abstract = True


PCGPointProperties = enum('PCGPointProperties', 'DENSITY EXTENTS COLOR POSITION ROTATION SCALE TRANSFORM STEEPNESS SEED'.split())
PCGExtraProperties = enum('PCGExtraProperties', ['INDEX'])
# The listing has no member with an underscore: the other two are as the engine spells them.
PCGAttributePropertySelection = enum('PCGAttributePropertySelection', ['ATTRIBUTE', 'POINT_PROPERTY', 'EXTRA_PROPERTY'])
PCGChangeType = enum('PCGChangeType', 'NONE COSMETIC SETTINGS INPUT EDGE NODE STRUCTURAL'.split())
# Properties that the engine has and Python has no member for.
UNLISTED = ('BoundsMin', 'BoundsMax', 'LocalCenter', 'LocalSize', 'ScaledLocalSize')


class PCGAttributePropertySelector(StructBase):
    """No fields in Python: kind, name, extra names and domain are behind the helpers and the exported text."""

    def __init__(self):
        StructBase.__init__(self)
        self._kind, self._text, self._extra, self._domain = 'ATTRIBUTE', '@Last', [], ''

    def copy(self):
        made = type(self)()
        made._kind, made._text, made._extra, made._domain = self._kind, self._text, list(self._extra), self._domain
        return made

    def export_text(self):
        names = {'ATTRIBUTE': 'AttributeName="%s"', 'POINT_PROPERTY': 'PointProperty=%s', 'EXTRA_PROPERTY': 'ExtraProperty=%s'}
        kinds = {'ATTRIBUTE': 'Attribute', 'POINT_PROPERTY': 'PointProperty', 'EXTRA_PROPERTY': 'ExtraProperty'}
        extra = ',ExtraNames=(%s)' % ','.join('"%s"' % name for name in self._extra) if self._extra else ''
        domain = ',DomainName="%s"' % self._domain if self._domain else ''
        return '(Selection=%s,%s%s%s)' % (kinds[self._kind], names[self._kind] % self._text, extra, domain)

    def import_text(self, content):
        """Only the fields that are named change, as in the engine."""
        extra = re.search(r'ExtraNames=\(([^)]*)\)', content)
        if extra:
            self._extra = re.findall(r'"([^"]*)"', extra.group(1))
        domain = re.search(r'DomainName="([^"]*)"', content)
        if domain:
            self._domain = domain.group(1)
        chosen = re.search(r'PointProperty=(\w+)', content)
        if chosen:
            if chosen.group(1) not in UNLISTED and not hasattr(PCGPointProperties, member_name(chosen.group(1))):
                return False
            self._text = chosen.group(1)
        return True


class PCGAttributePropertyInputSelector(PCGAttributePropertySelector):
    pass


class PCGAttributePropertyOutputSelector(PCGAttributePropertySelector):
    pass


def selector(cls, text):
    """As the engine makes one from the text of a default."""
    made = cls()
    parts = text.split('.')
    if len(parts) > 1 and parts[0].startswith('@'):
        made._domain = parts.pop(0)[1:]
    made._extra = parts[1:]
    index = parts[0] == '$Index'
    made._kind = 'EXTRA_PROPERTY' if index else 'POINT_PROPERTY' if parts[0].startswith('$') else 'ATTRIBUTE'
    made._text = parts[0].lstrip('$')
    return made


class PCGAttributePropertySelectorBlueprintHelpers(Object):
    """The setters answer the new selector, or nothing when it is as it was."""

    @staticmethod
    def _put(chosen, kind, text):
        made = chosen.copy()
        made._kind, made._text, made._extra = kind, text, []
        return None if made.export_text() == chosen.export_text() else made

    @classmethod
    def set_attribute_name(cls, selector, attribute_name):
        return cls._put(selector, 'ATTRIBUTE', str(attribute_name))

    @classmethod
    def set_point_property(cls, selector, point_property):
        return cls._put(selector, 'POINT_PROPERTY', point_property.name.title().replace('_', ''))

    @classmethod
    def set_extra_property(cls, selector, extra_property):
        return cls._put(selector, 'EXTRA_PROPERTY', extra_property.name.title())

    @classmethod
    def get_name(cls, selector):
        return Name(selector._text)

    @classmethod
    def get_attribute_name(cls, selector):
        return Name(selector._text if selector._kind == 'ATTRIBUTE' else '@Last')

    @classmethod
    def get_selection(cls, selector):
        return getattr(PCGAttributePropertySelection, selector._kind)

    @classmethod
    def get_point_property(cls, selector):
        known = selector._kind == 'POINT_PROPERTY' and selector._text not in UNLISTED
        return getattr(PCGPointProperties, member_name(selector._text)) if known else PCGPointProperties.DENSITY

    @classmethod
    def get_extra_property(cls, selector):
        return PCGExtraProperties.INDEX

    @classmethod
    def get_extra_names(cls, selector):
        return Array(selector._extra)


class PCGEdge(Object):
    """Up to 5.7 it does not name its ends."""
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

    def set_node_position(self, position_x, position_y):
        self._position = (position_x, position_y)


def duplicate(given, made):
    for name, value in given._values.items():
        inside = isinstance(value, Object) and not isinstance(value, Class) and value.get_path_name().startswith(given.get_path_name() + '.')
        if inside:
            copy = type(value)._new(made.get_path_name() + value.get_path_name()[len(given.get_path_name()):])
            duplicate(value, copy)
        else:
            copy = value.copy() if isinstance(value, StructBase) else type(value)(value) if isinstance(value, (Array, Set)) else value
        made._values[name] = copy


class PCGGraphInterface(Object):
    _module = 'PCG'


class InstancedPropertyBag(StructBase):
    """Python sees no fields: only its exported text."""

    def copy(self):
        return self

    def export_text(self):
        described = ','.join(
            '(ValueTypeObject=None,ID=00000000000000000000000000000000,Name="%s",ValueType=%s,MetaData=((Key="Tip",Value="a (b), c")))'
            % (name, kind) for name, (kind, _value) in self._bag.items())
        return '(PropertyDescs=(%s))' % described if described else '()'


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
        if isinstance(settings_class, Class):
            settings_class = settings_class._python
        if not (isinstance(settings_class, type) and issubclass(settings_class, PCGSettings)) or not hasattr(settings_class, '_inputs'):
            return None
        settings_class = settings_class.static_class()._python  # a renamed class makes nodes of its new name
        stem = settings_class.__name__[3:].replace('Settings', '')
        serial = self._serials.get(stem, -1) + 1
        self._serials[stem] = serial
        name = '%s_%d' % (stem, serial)
        settings = settings_class._new('%s:%s.%s' % (self._path, name, settings_class.__name__))
        return self._add(name, settings)

    def add_node_copy(self, settings):
        made = self.add_node_of_type(type(settings))
        for key, value in settings._values.items():
            made[1]._values[key] = value
        return made

    def _add(self, name, settings):
        settings_class = type(settings)
        taken = settings_class._inputs + ['Overrides', 'Execution Dependency']
        advanced = taken[-2:] + [label for label in settings_class._overrides if label not in taken]
        node = self._node(name, settings, settings_class._inputs + advanced, settings_class._outputs, settings_class._single)
        self._values['nodes'].append(node)
        return node, settings

    def add_node_copy(self, settings):
        """A node of the same class; objects inside the settings are copied with them, assets are shared."""
        made = self.add_node_of_type(type(settings))
        duplicate(settings, made[1])
        return made

    def _pin(self, node, key, label):
        return next((pin for pin in node._values[key] if pin._values['properties']._values['label'] == str(label)), None)

    def add_edge(self, from_, from_pin_label, to, to_pin_label):
        """Silent when it does nothing: unknown label, or the same edge again."""
        a, b = self._pin(from_, 'output_pins', from_pin_label), self._pin(to, 'input_pins', to_pin_label)
        if a is None or b is None or any(edge in b._values['edges'] for edge in a._values['edges']):
            return to
        if not b._values['properties']._values['allow_multiple_connections']:
            for edge in list(b._values['edges']):
                self._drop(edge)
        self._edges += 1
        edge = PCGEdge._new('%s:Edge_%d' % (self._path, self._edges))
        edge._ends = (a, b)
        a._values['edges'].append(edge)
        b._values['edges'].append(edge)
        return to

    def _drop(self, edge):
        for pin in edge._ends:
            pin._values['edges'] = Array([one for one in pin._values['edges'] if one is not edge])

    def remove_edge(self, from_, from_label, to, to_label):
        a, b = self._pin(from_, 'output_pins', from_label), self._pin(to, 'input_pins', to_label)
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
    """One getter and one setter for each type; a missing name is only logged."""
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


