"""The shapes of the level: landscapes, splines, volumes. Part 4 of the program, after the world."""

LANDSCAPES = ('Landscape', 'LandscapeStreamingProxy')
MOST_SPLINES, MOST_SPLINE_POINTS, MOST_VOLUMES, MOST_LANDSCAPES = 2000, 2000, 5000, 1024
MOST_SAMPLES = 4096  # in one call: the editor draws no frame during it


def named_actor(actor):
    return {'name': actor.get_name(), 'label': actor.get_actor_label(), 'class': actor.get_class().get_name(),
            'tags': [str(tag) for tag in actor.get_editor_property('tags')]}


def landscape_of(actor):
    """The data that the nodes of PCG see; nothing where no part of the landscape is loaded."""
    data = unreal.PCGBlueprintHelpers.create_pcg_data_from_actor(actor)
    return data if isinstance(data, unreal.PCGLandscapeData) else None


def landscape_shape(actor):
    data = landscape_of(actor)
    box = None if data is None else data.get_bounds()
    if box is None or box.max.x <= box.min.x or box.max.y <= box.min.y:
        return None
    return dict(named_actor(actor), min=numbers(box.min), max=numbers(box.max))


def spline_shapes(actor, cls):
    """In world space, so that attachments and scales of components do not matter."""
    for component in actor.get_components_by_class(cls):
        count = component.get_number_of_spline_points()
        if count < 2 or count > MOST_SPLINE_POINTS:
            continue
        world, straight = unreal.SplineCoordinateSpace.WORLD, unreal.SplinePointType.LINEAR
        yield dict(
            named_actor(actor), component=component.get_name(), closed=bool(component.is_closed_loop()),
            points=[numbers(component.get_location_at_spline_point(at, world)) for at in range(count)],
            arrive=[numbers(component.get_arrive_tangent_at_spline_point(at, world)) for at in range(count)],
            leave=[numbers(component.get_leave_tangent_at_spline_point(at, world)) for at in range(count)],
            straight=[component.get_spline_point_type(at) == straight for at in range(count)])


def volume_shape(actor):
    """The box in the space of the actor, so that a turned volume keeps its size."""
    box = unreal.PCGBlueprintHelpers.get_actor_local_bounds_pcg(actor)
    return dict(named_actor(actor), min=numbers(box.min), max=numbers(box.max),
                location=numbers(actor.get_actor_location()), rotation=numbers(actor.get_actor_rotation()),
                scale=numbers(actor.get_actor_scale3d()))


def read_level(_args):
    found = {'level': level(), 'landscapes': [], 'splines': [], 'volumes': [], 'skipped': []}
    splines = getattr(unreal, 'SplineComponent', None)

    def keep(kind, most, shape, actor):
        if shape is None:
            found['skipped'].append([actor.get_name(), 'no part of it is loaded'])
        elif len(found[kind]) < most:
            found[kind].append(shape)
        else:
            found['skipped'].append([actor.get_name(), 'a level is read with at most %d %s' % (most, kind)])
    for actor in actors():
        if actor.get_class().get_name() in LANDSCAPES:
            keep('landscapes', MOST_LANDSCAPES, landscape_shape(actor), actor)
        elif isinstance(actor, unreal.Volume):
            keep('volumes', MOST_VOLUMES, volume_shape(actor), actor)
        elif splines is not None:
            for shape in spline_shapes(actor, splines):
                keep('splines', MOST_SPLINES, shape, actor)
    found['skipped'] = found['skipped'][:200]
    return found


def sample_heights(args):
    """A few rows of heights, as base64 of 32-bit numbers; not a number where the landscape has a hole."""
    columns, rows = args['columns'], args['rows']
    if columns * rows > MOST_SAMPLES:
        raise Refusal('INVALID_ARGUMENT', 'At most %d heights in one call' % MOST_SAMPLES)
    data = landscape_of(actor_at(args['actor']))
    if data is None:
        raise Refusal('ACTOR_NOT_FOUND', '%s is no landscape any more: read the level again' % args['actor'])
    top = data.get_bounds().max.z
    around = unreal.Box()
    around.set_editor_property('min', unreal.Vector(-1.0, -1.0, -1.0))
    around.set_editor_property('max', unreal.Vector(1.0, 1.0, 1.0))
    params = unreal.PCGProjectionParams()
    params.set_editor_property('project_positions', True)
    metadata = data.create_empty_metadata()
    heights = []
    for row in range(rows):
        for column in range(columns):
            at = unreal.Vector(args['x'] + column * args['step_x'], args['y'] + row * args['step_y'], top)
            turn, size = unreal.Rotator(pitch=0.0, yaw=0.0, roll=0.0), unreal.Vector(1.0, 1.0, 1.0)
            point = data.project_point(unreal.Transform(location=at, rotation=turn, scale=size), around, params, metadata)
            heights.append(math.nan if point is None else point.get_editor_property('transform').translation.z)
    return {'heights': base64.b64encode(struct.pack('<%df' % len(heights), *heights)).decode('ascii')}
