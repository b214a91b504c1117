"""DOUBLE of the editor's Python types: objects, structs, enums, containers; strict where the real ones are."""
import re
import struct
from collections.abc import MutableMapping, MutableSequence, MutableSet


class WrapperBase:
    pass


class Name(WrapperBase):
    def __init__(self, value='None'):
        self._text = str(value)

    def __str__(self):
        return self._text

    def __eq__(self, other):
        return str(other).lower() == self._text.lower()

    def __hash__(self):
        return hash(self._text.lower())


class Text(WrapperBase):
    def __init__(self, value=''):
        self._text = str(value)

    def __str__(self):
        return self._text


class EnumBase(WrapperBase):
    def __init__(self, name='', value=0):
        self.name, self.value = name, value


def enum(name, members):
    made = type(name, (EnumBase,), {})
    for value, member in enumerate(members):
        setattr(made, member, made(member, value))
    return made


def single(value):
    return struct.unpack('f', struct.pack('f', value))[0]


def check(spec, value, where):
    """The value as the property stores it, or TypeError, as the real binding raises it."""
    wrong = TypeError("%s: cannot convert type '%s' to '%s'" % (where, type(value).__name__, getattr(spec, '__name__', spec)))
    if spec == 'bool':
        if not isinstance(value, bool):
            raise wrong
        return value
    if spec in ('int32', 'float', 'double'):
        if isinstance(value, bool) or not isinstance(value, int if spec == 'int32' else (int, float)):
            raise wrong
        if spec == 'int32' and not -2 ** 31 <= value < 2 ** 31:
            raise OverflowError(where + ': out of range')
        return value if spec == 'int32' else single(value) if spec == 'float' else float(value)
    if spec in ('str', Name, Text):
        if not isinstance(value, (str, Name, Text)):
            raise wrong
        str(value).encode('utf-8')  # a lone surrogate cannot become a string of the engine
        return str(value) if spec == 'str' else spec(value)
    if isinstance(spec, tuple):
        kind, of = spec
        if kind is Map:
            return Map({key: check(of, item, where) for key, item in dict(value).items()})
        if isinstance(value, (str, bytes, dict)) or not hasattr(value, '__iter__'):
            raise wrong
        return kind([check(of, item, where) for item in value])
    if issubclass(spec, Object):
        if value is not None and not isinstance(value, spec):
            raise wrong
        return value
    if not isinstance(value, spec):
        raise wrong
    return value.copy() if isinstance(value, StructBase) else value


def spelled(spec):
    """The type as the documentation of a class spells it."""
    if isinstance(spec, tuple):
        return '%s[%s]' % (spec[0].__name__, ('str, ' if spec[0] is Map else '') + spelled(spec[1]))
    return spec if isinstance(spec, str) else 'type(Class)' if spec is Class else spec.__name__


def document(cls):
    lines = ['', '**Editor Properties:** (see get_editor_property/set_editor_property)', '']
    for name, (spec, writable, _default) in cls.__dict__.get('_props', {}).items():
        lines.append('- ``%s`` (%s):  [%s] %s' % (name, spelled(spec), 'Read-Write' if writable else 'Read-Only', name))
    cls.__doc__ = cls.__name__ + '\n'.join(lines)


class Propertied(WrapperBase):
    """`_props`: name -> (type, writable, default). The documentation of a class lists them, as the real one does."""

    _props = {}

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        document(cls)

    def _init(self):
        self._values = {}
        for cls in reversed(type(self).__mro__):
            for name, (spec, _writable, default) in cls.__dict__.get('_props', {}).items():
                value = default() if callable(default) else default
                self._values[name] = value if value is None else check(spec, value, name)

    def _find(self, name):
        for cls in type(self).__mro__:
            if name in cls.__dict__.get('_props', {}):
                return cls.__dict__['_props'][name]
        raise Exception("%s: Failed to find property '%s'" % (type(self).__name__, name))

    def get_editor_property(self, name):
        self._find(str(name))
        value = self._values[str(name)]
        return value.copy() if isinstance(value, StructBase) else value

    def set_editor_property(self, name, value):
        spec, writable, _default = self._find(str(name))
        if not writable:
            raise Exception("%s: Property '%s' is read-only and cannot be set" % (type(self).__name__, name))
        self._values[str(name)] = check(spec, value, str(name))


class StructBase(Propertied):
    """Copied on read, like the real ones."""

    def __init__(self, *args, **kwargs):
        self._init()
        names = [name for cls in reversed(type(self).__mro__) for name in cls.__dict__.get('_props', {})]
        for name, value in list(zip(names, args)) + list(kwargs.items()):
            self.set_editor_property(name, value)

    def __getattr__(self, name):
        if name.startswith('_') or name not in self.__dict__.get('_values', {}):
            raise AttributeError(name)
        return self.get_editor_property(name)

    def copy(self):
        made = object.__new__(type(self))
        made._values = {name: value.copy() if isinstance(value, StructBase) else value for name, value in self._values.items()}
        return made

    def export_text(self):
        return '(' + ','.join('%s=%s' % item for item in self._values.items()) + ')'

    def import_text(self, content):
        raise Exception('%s: this double reads no text of that struct' % type(self).__name__)


class Array(WrapperBase, MutableSequence):
    def __init__(self, items=()):
        self._items = list(items)

    def __len__(self):
        return len(self._items)

    def __getitem__(self, at):
        return self._items[at]

    def __setitem__(self, at, value):
        self._items[at] = value

    def __delitem__(self, at):
        del self._items[at]

    def insert(self, index, value):
        self._items.insert(index, value)


class Set(WrapperBase, MutableSet):
    def __init__(self, items=()):
        self._items = list(dict.fromkeys(items))

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        return iter(self._items)

    def __contains__(self, item):
        return item in self._items

    def add(self, value):
        self._items.append(value)

    def discard(self, value):
        self._items = [one for one in self._items if one != value]


class Map(WrapperBase, MutableMapping):
    def __init__(self, items=()):
        self._items = dict(items)

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        return iter(self._items)

    def __getitem__(self, key):
        return self._items[key]

    def __setitem__(self, key, value):
        self._items[key] = value

    def __delitem__(self, key):
        del self._items[key]


class Object(Propertied):
    _path = None

    def __init__(self):
        raise TypeError('use new_object, a factory or a subsystem')

    @classmethod
    def _new(cls, path):
        made = object.__new__(cls)
        made._path = path
        made._init()
        return made

    def get_name(self):
        return re.split(r'[.:/]', self._path)[-1]

    def get_path_name(self):
        return self._path

    def get_class(self):
        return type(self).static_class()

    @classmethod
    def static_class(cls):
        made = cls.__dict__.get('_static')
        if made is None:
            made = Class._new('/Script/%s.%s' % (getattr(cls, '_module', 'Engine'), cls.__name__))
            made._python, cls._static = cls, made
        return made

    def modify(self, _always_mark_dirty=True):
        return True


class Class(Object):
    """A class as a value; the Python type it stands for is only the double's."""

    _python = None


def vector(name, axes, of='double'):
    return type(name, (StructBase,), {'_props': {axis: (of, True, 0.0) for axis in axes.split()}})


Vector, Vector2D, Vector4 = vector('Vector', 'x y z'), vector('Vector2D', 'x y'), vector('Vector4', 'x y z w')
Rotator, Color, LinearColor = vector('Rotator', 'roll pitch yaw'), vector('Color', 'b g r a'), vector('LinearColor', 'r g b a', 'float')
Color._props = {axis: ('int32', True, 0) for axis in 'bgra'}


class Quat(StructBase):
    _props = {axis: ('double', True, 1.0 if axis == 'w' else 0.0) for axis in 'xyzw'}

    def rotator(self):
        return getattr(self, '_from', None) or Rotator()


class Transform(StructBase):
    _props = {'translation': (Vector, True, Vector), 'rotation': (Quat, True, Quat), 'scale3d': (Vector, True, lambda: Vector(1.0, 1.0, 1.0))}

    def __init__(self, location=None, rotation=None, scale=None):
        StructBase.__init__(self)
        if location is not None:
            self.set_editor_property('translation', location)
        if rotation is not None:
            self._turn = rotation
        if scale is not None:
            self.set_editor_property('scale3d', scale)

    def copy(self):
        made = StructBase.copy(self)
        made._turn = getattr(self, '_turn', Rotator())
        return made

    @property
    def rotation(self):
        quat = self.get_editor_property('rotation')
        quat._from = getattr(self, '_turn', Rotator())
        return quat


class SoftObjectPath(StructBase):
    """Its only way in is the text of its constructor."""

    def __init__(self, path_string=''):
        StructBase.__init__(self)
        self._path_string = check('str', path_string, 'path_string')

    def copy(self):
        return type(self)(self._path_string)

    def export_text(self):
        return '"%s"' % self._path_string if self._path_string else 'None'


class SoftClassPath(SoftObjectPath):
    pass


class TopLevelAssetPath(StructBase):
    _props = {'package_name': (Name, True, 'None'), 'asset_name': (Name, True, 'None')}
