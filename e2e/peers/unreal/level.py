"""DOUBLE of the level: actors, PCG components whose generation takes frames, and the subsystems that reach them."""
import math
import listing
from objects import Array, Name, Object, Rotator, Set, Text, Transform, Vector, enum
from pcg import (
    PCGData, PCGDataCollection, PCGGraph, PCGGraphInstance, PCGGraphInterface, PCGPointData, PCGTaggedData, PCGVolumeData, instance,
)

PCGComponentGenerationTrigger = enum('PCGComponentGenerationTrigger', ['GENERATE_ON_LOAD', 'GENERATE_ON_DEMAND', 'GENERATE_AT_RUNTIME'])
PCGComponentInput = enum('PCGComponentInput', ['ACTOR', 'LANDSCAPE', 'OTHER'])
FRAMES, INSTANCES = 3, 25
WORLD = {'actors': [], 'playing': False, 'serial': 0, 'folder': '', 'stale': False, 'selected': [], 'changed': set(),
         'camera': (Vector(-500.0, 0.0, 300.0), Rotator(pitch=-20.0)), 'marks': False}
TRANSACTION = [None]  # of the module, which imports this one
CACHE = {}  # component -> the output of its nodes, until it is flushed


class World(Object):
    pass


class ActorComponent(Object):
    pass


class StaticMesh(Object):
    pass


class InstancedStaticMeshComponent(ActorComponent):
    _props = {'static_mesh': (StaticMesh, True, None)}
    _count = 0

    def get_instance_count(self):
        return self._count


def flow(graph, given):
    """What reaches the Output node: points, a volume, tags; enough to see which graph ran, and nothing more."""
    memo = {}

    def out_of(node):
        if node is graph.get_input_node():
            return given
        if node not in memo:
            memo[node] = []
            arrived = [item for pin in node.get_editor_property('input_pins') for edge in pin._values['edges'] for item in out_of(edge._ends[0]._node)]
            memo[node] = ran(node._settings, arrived)
        return memo[node]

    def ran(settings, arrived):
        kind = type(settings).__name__
        if kind == 'PCGSubgraphSettings':
            inner = settings.get_editor_property('subgraph_override')
            return flow(inner, arrived) if inner is not None else []
        if kind == 'PCGSurfaceSamplerSettings':
            return [(PCGPointData, tags) for _cls, tags in arrived]
        if kind == 'PCGAddTagSettings':
            added = str(settings.get_editor_property('tags_to_add')).split(',')
            return [(cls, tags + added) for cls, tags in arrived]
        return arrived

    pins = graph.get_output_node().get_editor_property('input_pins')
    return [item for pin in pins for edge in pin._values['edges'] for item in out_of(edge._ends[0]._node)]


def spawned(graph):
    """The meshes of the spawners of a graph that something is wired to."""
    found = []
    for node in graph._values['nodes']:
        wired = any(len(pin._values['edges']) for pin in node._values['input_pins'])
        if wired and type(node._settings).__name__ == 'PCGStaticMeshSpawnerSettings':
            entries = node._settings._values['mesh_selector_parameters']._values.get('mesh_entries', [])
            found += [entry.get_editor_property('descriptor').get_editor_property('static_mesh') for entry in entries]
    return [mesh for mesh in found if mesh is not None]


class PCGBlueprintHelpers(Object):
    @classmethod
    def flush_pcg_cache(cls):
        CACHE.clear()

    @classmethod
    def create_pcg_data_from_actor(cls, actor, parse_actor=True):
        return PCGLandscapeData._new('/Engine/Transient.Data') if isinstance(actor, Landscape) else None

    @classmethod
    def get_actor_local_bounds_pcg(cls, actor, ignore_pcg_created_components=True):
        return box_of((-actor._half,) * 3, (actor._half,) * 3)


class PCGComponent(ActorComponent):
    _module = 'PCG'
    _props = {
        'seed': ('int32', True, 42), 'activated': ('bool', True, True), 'is_component_partitioned': ('bool', True, False),
        'generation_trigger': (PCGComponentGenerationTrigger, True, PCGComponentGenerationTrigger.GENERATE_ON_LOAD),
        'regenerate_in_editor': ('bool', True, False), 'generate_on_drop_when_trigger_on_demand': ('bool', True, False),
        'parse_actor_components': ('bool', True, True), 'input_type': (PCGComponentInput, True, PCGComponentInput.ACTOR),
        'generated': ('bool', False, False), 'generation_in_progress': ('bool', False, False),
        'graph_instance': (PCGGraphInstance, False, instance),
    }

    def _init(self):
        Object._init(self)
        self._left, self._cleaning, self._output, self._stuck, self._original = 0, False, [], False, None

    def set_graph(self, graph):
        if graph is not None and not isinstance(graph, PCGGraphInterface):
            raise TypeError('graph: cannot convert')
        self._values['graph_instance']._values['graph'] = graph
        self._stuck = False

    def notify_properties_changed_from_blueprint(self):
        pass

    def _graph(self):
        graph = self._values['graph_instance']._values['graph']
        return graph._values['graph'] if isinstance(graph, PCGGraphInstance) else graph

    def generate_local(self, force):
        if self._graph() is None or not self._values['activated'] or (self._values['generated'] and not force) or self._stuck:
            return
        self._left, self._values['generation_in_progress'] = FRAMES, True

    def cleanup_local(self, remove_components, save=False):
        self._cleaning = True
        for local in self._locals():
            local._cleaning = True

    def _locals(self):
        found = [cell.get_local_component(self) for cell in WORLD['actors'] if isinstance(cell, PCGPartitionActor)]
        return [local for local in found if local is not None]

    def get_generated_graph_output(self):
        return PCGDataCollection(Array([
            PCGTaggedData(cls._new('/Engine/Transient.%s' % cls.__name__), Set(tags), Name('Out')) for cls, tags in self._output
        ]))

    def _tick(self):
        if self._cleaning:
            self._cleaning, self._output, self._left = False, [], 0
            self._values['generated'] = self._values['generation_in_progress'] = False
            self._spawn([])
        if self._left > 0:
            self._left -= 1
            if self._left == 0:
                self._values['generation_in_progress'] = False
                # An output that was not cleaned is the cached one.
                if not self._values['generated'] and self._values['is_component_partitioned']:
                    self._divide()
                elif not self._values['generated']:
                    self._output = self._run()
                    self._spawn(spawned(self._graph()))
                # "For partitionable actors this will always be false."
                self._values['generated'] = not self._values['is_component_partitioned']

    def _run(self):
        """The engine holds the results of nodes until its cache is flushed: with `stale` it takes them without asking."""
        if WORLD['stale'] and self._path in CACHE:
            return CACHE[self._path]
        _origin, extent = self._owner.get_actor_bounds(False)
        bounded = min(extent.x, extent.y, extent.z) > 0
        CACHE[self._path] = flow(self._graph(), [(PCGVolumeData, [])] if bounded else [])
        return CACHE[self._path]

    def _divide(self):
        """One actor for each cell of the grid, two here, with a part of the component that generates there."""
        for _cell in range(2 - len(self._locals())):
            spawn(PCGPartitionActor)._take(self)
        for local in self._locals():
            local._values['graph_instance'] = self._values['graph_instance']
            local._output, local._values['generated'] = self._run(), True
            local._spawn(spawned(self._graph()))

    def _spawn(self, meshes):
        kept = [one for one in self._owner._components if not isinstance(one, InstancedStaticMeshComponent)]
        self._owner._components = kept
        for at, mesh in enumerate(meshes):
            made = self._owner._add(InstancedStaticMeshComponent, 'ISM_%d' % at)
            made._values['static_mesh'], made._count = mesh, INSTANCES


class Actor(Object):
    _half = 0.0
    _props = {'tags': ((Array, Name), True, Array)}

    def _init(self):
        Object._init(self)
        self._label, self._components = self.get_name(), []
        self._location, self._rotation, self._scale = Vector(), Rotator(), Vector(1.0, 1.0, 1.0)

    def get_actor_label(self, create_if_none=True):
        return self._label

    def set_actor_label(self, new_actor_label, mark_dirty=True):
        self._label = str(new_actor_label)

    def get_actor_location(self):
        return self._location.copy()

    def get_actor_rotation(self):
        return self._rotation.copy()

    def get_actor_scale3d(self):
        return self._scale.copy()

    def set_actor_scale3d(self, new_scale3d):
        self._scale = new_scale3d.copy()

    def set_actor_rotation(self, new_rotation, teleport_physics):
        self._rotation = new_rotation.copy()
        return True

    def get_actor_bounds(self, only_colliding_components, include_from_child_actors=False):
        half = [self._half * size for size in (self._scale.x, self._scale.y, self._scale.z)]
        pitch, yaw, roll = (math.radians(angle) for angle in (self._rotation.pitch, self._rotation.yaw, self._rotation.roll))
        (sp, cp), (sy, cy), (sr, cr) = ((math.sin(a), math.cos(a)) for a in (pitch, yaw, roll))
        rows = ((cp * cy, cp * sy, sp), (sr * sp * cy - cr * sy, sr * sp * sy + cr * cy, -sr * cp), (-(cr * sp * cy + sr * sy), cy * sr - cr * sp * sy, cr * cp))
        return self._location.copy(), Vector(*[sum(abs(rows[row][axis]) * half[row] for row in range(3)) for axis in range(3)])

    def get_components_by_class(self, component_class=None):
        return Array([one for one in self._components if component_class is None or isinstance(one, component_class)])

    def get_component_by_class(self, component_class=None):
        return next(iter(self.get_components_by_class(component_class)), None)

    def _add(self, cls, name):
        made = cls._new('%s.%s' % (self._path, name))
        made._owner = self
        self._components.append(made)
        return made


SplineCoordinateSpace = enum('SplineCoordinateSpace', ['LOCAL', 'WORLD'])
SplinePointType = enum('SplinePointType', ['LINEAR', 'CURVE', 'CONSTANT', 'CURVE_CLAMPED', 'CURVE_CUSTOM_TANGENT'])


class SplineComponent(ActorComponent):
    """Points and tangents as Epic documents them; here in the space of the world."""
    _points, _arrive, _leave, _kinds, _closed = [], [], [], [], False

    def get_number_of_spline_points(self):
        return len(self._points)

    def get_location_at_spline_point(self, point_index, coordinate_space):
        return self._points[point_index].copy()

    def get_arrive_tangent_at_spline_point(self, point_index, coordinate_space):
        return self._arrive[point_index].copy()

    def get_leave_tangent_at_spline_point(self, point_index, coordinate_space):
        return self._leave[point_index].copy()

    def get_spline_point_type(self, point_index):
        return self._kinds[point_index]

    def is_closed_loop(self):
        return self._closed


class PCGLandscapeData(PCGData):
    """A wave, with a hole; nothing beside its box."""

    def get_bounds(self):
        return box_of((-10000.0, -5000.0, -100.0), (10000.0, 5000.0, 100.0))

    def create_empty_metadata(self):
        return None

    def project_point(self, transform, bounds, params, out_metadata):
        x, y = transform.translation.x, transform.translation.y
        outside = abs(x) > 10000.5 or abs(y) > 5000.5
        if outside or (abs(x - 5000) < 700 and abs(y) < 700) or not params.project_positions:
            return None
        point = listing.named('PCGPoint')()
        at = Vector(x, y, 100.0 * math.sin(x / 4000.0) * math.cos(y / 3000.0))
        point.set_editor_property('transform', Transform(location=at, rotation=Rotator(), scale=Vector(1.0, 1.0, 1.0)))
        return point


def box_of(low, high):
    box = listing.named('Box')()
    box.set_editor_property('min', Vector(*low))
    box.set_editor_property('max', Vector(*high))
    return box


class Landscape(Actor):
    pass


class Volume(Actor):
    pass


class StaticMeshActor(Actor):
    _half = 100.0


class PCGVolume(Volume):
    """Placed by the editor it has a cube of 200 cm; the size is then in its scale."""
    _module, _half = 'PCG', 100.0
    _props = {'pcg_component': (PCGComponent, True, None)}

    def _init(self):
        Actor._init(self)
        self._values['pcg_component'] = self._add(PCGComponent, 'PCG Component')


class PCGPartitionActor(Actor):
    """A cell of the grid: its own part of each component that is partitioned, which holds what was generated there."""
    _module = 'PCG'

    def _take(self, original):
        local = self._add(PCGComponent, 'PCG_Local')
        local._original = original

    def get_local_component(self, original_component):
        return next((one for one in self.get_components_by_class(PCGComponent) if one._original is original_component), None)

    def get_original_component(self, local_component):
        return local_component._original


def spawn(cls):
    WORLD['serial'] += 1
    actor = cls._new('/Game/Maps/Main.Main:PersistentLevel.%s_%d' % (cls.__name__, WORLD['serial']))
    WORLD['actors'].append(actor)
    return actor


class EditorActorSubsystem(Object):
    def get_all_level_actors(self):
        return Array(WORLD['actors'])

    def spawn_actor_from_class(self, actor_class, location, rotation=None, transient=False):
        """A transient actor is not saved, and so changes no level; `marks` is an editor that marks it all the same."""
        if WORLD['playing']:
            return None
        with TRANSACTION[0]('Create Actor'):
            actor = spawn(actor_class)
        actor._location, actor._rotation = location.copy(), (rotation or Rotator()).copy()
        WORLD['selected'] = [actor]
        if not transient or WORLD['marks']:
            WORLD['changed'].add('/Game/Maps/Main')
        return actor

    def destroy_actor(self, actor_to_destroy):
        if WORLD['playing'] or actor_to_destroy not in WORLD['actors']:
            return False
        with TRANSACTION[0]('Delete Actor'):
            WORLD['actors'].remove(actor_to_destroy)
        WORLD['selected'] = [actor for actor in WORLD['selected'] if actor is not actor_to_destroy]
        return True

    def get_selected_level_actors(self):
        return Array(WORLD['selected'])

    def set_selected_level_actors(self, actors_to_select):
        WORLD['selected'] = list(actors_to_select)


class LevelEditorSubsystem(Object):
    def is_in_play_in_editor(self):
        return WORLD['playing']


class UnrealEditorSubsystem(Object):
    def get_editor_world(self):
        return World._new('/Game/Maps/Main.Main')

    def get_level_viewport_camera_info(self):
        return WORLD['camera']


class SubobjectDataHandle(Object):
    pass


class AddNewSubobjectParams(Object):
    def __init__(self, parent_handle=None, new_class=None):
        self._init()
        self._parent, self._class = parent_handle, new_class


class SubobjectDataSubsystem(Object):
    def k2_gather_subobject_data_for_instance(self, context):
        handle = SubobjectDataHandle._new('/Engine/Transient.Handle')
        handle._actor = context
        return Array([handle])

    def add_new_subobject(self, params):
        params._parent._actor._add(params._class, 'PCG')
        return params._parent, Text('')


def furnish():
    """A landscape, a curve with tangents of its own, a closed straight one, a turned volume."""
    ground = spawn(Landscape)
    ground.set_actor_label('Ground')
    ground._values['tags'] = Array([Name('Terrain')])
    path = spawn(Actor)._add(SplineComponent, 'Spline')
    path._owner.set_actor_label('Path')
    path._owner._values['tags'] = Array([Name('Path')])
    path._points = [Vector(0.0, 0.0, 0.0), Vector(1000.0, 0.0, 50.0), Vector(1000.0, 2000.0, 0.0)]
    path._arrive = path._leave = [Vector(900.0, 0.0, 0.0), Vector(400.0, 700.0, 0.0), Vector(0.0, 900.0, 0.0)]
    path._kinds = [SplinePointType.CURVE] * 3
    fence = spawn(Actor)._add(SplineComponent, 'Spline')
    fence._owner.set_actor_label('Fence')
    fence._points = [Vector(-400.0, -400.0, 0.0), Vector(400.0, -400.0, 0.0), Vector(400.0, 400.0, 0.0)]
    fence._arrive = fence._leave = [Vector()] * 3
    fence._kinds, fence._closed = [SplinePointType.LINEAR] * 3, True
    volume = spawn(PCGVolume)
    volume.set_actor_label('Yard')
    volume._location, volume._rotation, volume._scale = Vector(100.0, 200.0, 300.0), Rotator(roll=0.0, pitch=0.0, yaw=45.0), Vector(2.0, 1.0, 1.0)


def tick():
    for actor in WORLD['actors']:
        for component in actor._components:
            if isinstance(component, PCGComponent):
                component._tick()


def is_graph(asset):
    return isinstance(asset, PCGGraph)
