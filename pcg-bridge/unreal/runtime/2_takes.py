"""What objects take: JSON as the values of their documented types. Part 2 of the program."""


def select(selector, text):
    """Sets kind, name, extra names and domain, then reads back: a name that only looks like `$Position.Z` never stands."""
    helpers = unreal.PCGAttributePropertySelectorBlueprintHelpers
    parts = text.split('.')
    domain = parts.pop(0)[1:] if len(parts) > 1 and parts[0] in ('@Data', '@Points', '@Elements') else ''
    head, extra = parts[0], parts[1:]
    member = re.sub(r'(?<=[a-z0-9])(?=[A-Z])', '_', head[1:]).upper()
    chosen = selector.copy()
    if not head.startswith('$'):
        chosen = helpers.set_attribute_name(chosen, head) or chosen
    elif hasattr(unreal.PCGExtraProperties, member):
        chosen = helpers.set_extra_property(chosen, getattr(unreal.PCGExtraProperties, member)) or chosen
    elif hasattr(unreal.PCGPointProperties, member):
        chosen = helpers.set_point_property(chosen, getattr(unreal.PCGPointProperties, member)) or chosen
    else:  # a property without a member in Python: any point property first, then its name by text
        chosen = helpers.set_point_property(chosen, unreal.PCGPointProperties.POSITION) or chosen
        chosen.import_text('(PointProperty=%s)' % head[1:])
    chosen.import_text('(ExtraNames=(%s))' % ','.join('"%s"' % re.sub(r'["\\]', '', name) for name in extra))
    if domain or 'DomainName' in chosen.export_text():
        chosen.import_text('(DomainName="%s")' % domain)
    if selector_text(chosen).lower() != text.lower():
        raise Refusal('INVALID_ARGUMENT', "The editor cannot select '%s': it made '%s' of it" % (
            text[:120], selector_text(chosen)[:120]))
    return chosen


def class_at(text):
    """By script path, by the path of a Blueprint, or by name."""
    if text is None:
        return None
    cls = named_type(text)
    if cls is not None:
        return cls.static_class()
    try:
        native = text.startswith('/Script/') or text.endswith('_C')
        found = unreal.load_class(None, text) if native else ASSETS.load_blueprint_class(text)
    except Exception:
        found = None
    if found is None:
        raise Refusal('INVALID_ARGUMENT', 'There is no class ' + text[:200])
    return found


def object_at(cls, text):
    if text is None or text == '':
        return None
    if issubclass(cls, unreal.Actor):
        return actor_at(text)
    found = ASSETS.load_asset(text) if ASSETS.does_asset_exist(text) else None
    if found is None:
        raise Refusal('INVALID_ARGUMENT', 'There is no asset ' + text[:200])
    if not isinstance(found, cls):
        raise Refusal('TYPE_MISMATCH', '%s is a %s, not a %s' % (text[:200], found.get_class().get_name(), cls.__name__))
    return found


def kind_of(value):
    if isinstance(value, (unreal.Array, unreal.Set)):
        first = next(iter(value), None)
        return 'Array[%s]' % ('str' if first is None else kind_of(first))
    return {'int': 'int32'}.get(type(value).__name__, type(value).__name__)


def convert(kind, current, wanted):
    """JSON as the documented type; where nothing is documented, as the type the property has now."""
    kind = kind or kind_of(current)
    holder = HOLDER.match(kind)
    if holder and holder.group(1) == 'Map':
        of = holder.group(2).partition(',')[2].strip()
        return {key: convert(of, sample(of), item) for key, item in wanted.items()}
    if holder:
        of = holder.group(2)
        return [convert(of, sample(of), item) for item in wanted]
    if kind == 'type(Class)' or kind == 'Class':
        return class_at(wanted)
    if kind in ('float', 'double'):
        return float(wanted)
    if kind == 'bool' or kind == 'str' or kind in WHOLE:
        return wanted
    cls = named_type(kind) or type(current)
    if issubclass(cls, (unreal.Name, unreal.Text)):
        return cls(wanted)
    if issubclass(cls, unreal.EnumBase):
        return getattr(cls, wanted)
    if is_selector(current):
        return select(current, wanted)
    if kind in PATHS:
        return cls(wanted or '')
    if kind in AXES:
        whole = kind in ('Color', 'IntPoint', 'IntVector')
        return cls(**{axis: int(item) if whole else item for axis, item in zip(AXES[kind].split(), wanted)})
    if kind == 'Transform':
        at, turn, size = wanted['location'], wanted['rotation'], wanted['scale']
        return unreal.Transform(
            location=unreal.Vector(*at), rotation=unreal.Rotator(pitch=turn[0], yaw=turn[1], roll=turn[2]),
            scale=unreal.Vector(*size))
    if issubclass(cls, unreal.StructBase) and isinstance(wanted, dict):
        copy = cls() if current is None else current.copy()
        for name, item in wanted.items():
            copy.set_editor_property(name, convert(documented(cls).get(name, ('',))[0], copy.get_editor_property(name), item))
        return copy
    if issubclass(cls, unreal.Object) and (wanted is None or isinstance(wanted, str)):
        return object_at(cls, wanted)
    raise Refusal('TYPE_MISMATCH', 'A value of type %s cannot be written' % kind)


def put_class(owner, name, chosen):
    """The setter of the editor also makes the object whose fields follow, such as the mesh selector of a spawner."""
    setter = getattr(owner, 'set_' + name, None) or (
        getattr(owner, 'set_element_type', None) if name == 'blueprint_element_type' else None)
    if setter is None:
        owner.set_editor_property(name, chosen)
    else:
        setter(chosen)


def put(owner, values, done):
    """Writes properties, classes first. `done` lists how to take each of them back."""
    kinds = documented(type(owner))
    for name, value in sorted(values.items(), key=lambda item: kinds.get(item[0], ('',))[0] != 'type(Class)'):
        kind, current = kinds.get(name, ('',))[0], owner.get_editor_property(name)
        if kind == 'type(Class)':
            done.append((put_class, (owner, name, current)))
            put_class(owner, name, convert(kind, current, value))
        elif is_part(owner, current) and isinstance(value, dict):
            current.modify()
            put(current, value, done)
        else:
            wanted = convert(kind, current, value)
            done.append((owner.set_editor_property, (name, current)))
            owner.set_editor_property(name, wanted)
