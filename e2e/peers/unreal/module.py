"""DOUBLE of `import unreal`: the names our program uses, as an engine version offers them, and nothing else."""
import json
import os
import types
import level
import listing
import nodes
import objects
import pcg
import rendering
import source_control
import toolset
from objects import Array, Name, Object, Text

ASSETS = {}
MOUNTS = ['/Game/', '/PCG/', '/MyPlugin/']  # roots of content that exist; anything else is no place for an asset
# `cost`: what stops the game thread. Assets that were loaded, and walks over the whole module.
STATE = {'refuse_saves': False, 'tasks': [], 'cost': {'loads': 0, 'walks': 0}, 'loaded': set(), 'without': (), 'transactions': [],
         'frames': 0, 'ticks': {}, 'serial': 0}


def put(asset):
    ASSETS[asset.get_path_name().split('.')[0].lower()] = asset
    return asset


def loaded(path):
    """Reading a file into memory stops the game thread; what is in memory costs nothing."""
    found = ASSETS.get(path.lower())
    if found is not None and path.lower() not in STATE['loaded']:
        STATE['loaded'].add(path.lower())
        STATE['cost']['loads'] += 1
    return found


class Blueprint(Object):
    """A Blueprint of the project; its class is another object, loaded by its own path."""
    _tags = {}


def load_class(outer, name):
    """Raises where it is missing, as the real function."""
    path = str(name)
    if path.endswith('_C') and isinstance(loaded(path.split('.')[0]), Blueprint):
        found = ASSETS[path.split('.')[0].lower()]
        return found._generated.static_class()
    known = listing.MADE.get(path.split('.')[-1])
    if known is None:
        raise Exception("load_class: Failed to find '%s'" % path)
    return known.static_class()


def new_object(type, outer=None, name='None', base_type=None):
    if getattr(type, '_abstract', False):
        raise Exception("new_object: '%s' is abstract" % type.__name__)
    return type._new('/Engine/Transient.%s_0' % type.__name__)


class Module(types.ModuleType):
    """Walking all its names takes milliseconds of the game thread in a real editor."""

    def __dir__(self):
        STATE['cost']['walks'] += 1
        return super().__dir__()


class EditorAssetLibrary(Object):
    @classmethod
    def does_asset_exist(cls, asset_path):
        return str(asset_path).split('.')[0].lower() in ASSETS

    @classmethod
    def load_asset(cls, asset_path):
        return loaded(str(asset_path).split('.')[0])

    @classmethod
    def load_blueprint_class(cls, asset_path):
        path = str(asset_path).split('.')[0]
        return load_class(None, '%s.%s_C' % (path, path.split('/')[-1]))

    @classmethod
    def delete_asset(cls, asset_path_to_delete):
        return ASSETS.pop(str(asset_path_to_delete).split('.')[0].lower(), None) is not None

    @classmethod
    def save_loaded_asset(cls, asset_to_save, only_if_is_dirty=True):
        if STATE['refuse_saves']:
            return False
        relative = asset_to_save.get_path_name().split('.')[0].split('/', 2)[2]
        file = os.path.join(level.WORLD['folder'], 'Content', relative + '.uasset')
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(file, 'w') as out:
            out.write(asset_to_save.get_path_name())
        return True


class AssetTools(Object):
    def create_asset(self, asset_name, package_path, asset_class, factory, calling_context='None'):
        if not (package_path + '/').startswith(tuple(MOUNTS)):
            return None
        STATE['loaded'].add('%s/%s' % (package_path.lower(), asset_name.lower()))
        return put(asset_class._new('%s/%s.%s' % (package_path, asset_name, asset_name)))


class AssetToolsHelpers(Object):
    @classmethod
    def get_asset_tools(cls):
        return AssetTools._new('/Engine/Transient.AssetTools')


class AssetData(objects.StructBase):
    _props = {'package_name': (Name, True, 'None'), 'asset_name': (Name, True, 'None')}

    def _asset(self):
        return ASSETS.get(str(self.package_name).lower())

    def is_asset_loaded(self):
        return str(self.package_name).lower() in STATE['loaded']

    def get_asset(self):
        return loaded(str(self.package_name))

    def get_tag_value(self, tag_name):
        return getattr(self._asset(), '_tags', {}).get(str(tag_name))

    def copy(self):
        return self


class AssetRegistry(Object):
    def get_assets_by_class(self, class_path_name, search_sub_classes=False):
        wanted = str(class_path_name.asset_name)
        found = [asset for asset in ASSETS.values() if type(asset).__name__ == wanted]
        return Array([AssetData(Name(asset.get_path_name().split('.')[0]), Name(asset.get_name())) for asset in found])


class AssetRegistryHelpers(Object):
    @classmethod
    def get_asset_registry(cls):
        return AssetRegistry._new('/Engine/Transient.AssetRegistry')


class Paths(Object):
    @classmethod
    def project_dir(cls):
        return level.WORLD['folder'] + '/'

    @classmethod
    def get_project_file_path(cls):
        return os.path.join(level.WORLD['folder'], 'Double.uproject')

    @classmethod
    def convert_relative_path_to_full(cls, path, base_path=''):
        return os.path.abspath(path)


class ScopedEditorTransaction:
    """Inside another one it is part of that."""
    depth = 0

    def __init__(self, desc):
        self._title = str(Text(desc))

    def __enter__(self):
        if ScopedEditorTransaction.depth == 0:
            STATE['transactions'].append(self._title)
        ScopedEditorTransaction.depth += 1
        return self

    def __exit__(self, *_error):
        ScopedEditorTransaction.depth -= 1
        return False


class SystemLibrary(Object):
    """A transaction that begins inside an open one is counted as part of it."""
    engine = ''

    @classmethod
    def get_engine_version(cls):
        return cls.engine

    @classmethod
    def get_frame_count(cls):
        return STATE['frames']

    @classmethod
    def begin_transaction(cls, context, description, primary_object):
        ScopedEditorTransaction(description).__enter__()
        return ScopedEditorTransaction.depth - 1

    @classmethod
    def cancel_transaction(cls, index):
        """What was recorded since it began is no entry of the history."""
        if index == 0 and ScopedEditorTransaction.depth > 0:
            STATE['transactions'].pop()
        ScopedEditorTransaction.depth = min(ScopedEditorTransaction.depth, index)

    @classmethod
    def end_transaction(cls):
        if ScopedEditorTransaction.depth == 0:
            return -1
        ScopedEditorTransaction.depth -= 1
        return len(STATE['transactions']) - 1


level.TRANSACTION[0] = ScopedEditorTransaction


def slate_tick():
    for callback in list(STATE['ticks'].values()):
        callback(1 / 120)


def register_slate_post_tick_callback(callable):
    STATE['serial'] += 1
    STATE['ticks'][STATE['serial']] = callable
    return STATE['serial']


def unregister_slate_post_tick_callback(handle):
    STATE['ticks'].pop(handle, None)


class ToolCallAsyncResult(Object):
    _props = {'is_complete': ('bool', False, False), 'error': ('str', False, ''), 'value': ('str', False, '')}


class ToolsetRegistry(Object):
    @classmethod
    def is_available(cls):
        return True

    @classmethod
    def get_all_toolset_json_schemas(cls):
        return json.dumps(toolset.schemas(STATE['without']))

    @classmethod
    def execute_tool(cls, toolset_name, tool_name, json_input):
        result = ToolCallAsyncResult._new('/Engine/Transient.Result')
        STATE['tasks'].append((result, toolset_name, tool_name, json_input))
        return result


def tick():
    level.tick()
    tasks, STATE['tasks'] = STATE['tasks'], []
    for task in tasks:
        result, which, tool, given = task
        try:
            answer = toolset.step(which, tool, json.loads(given))
            if answer is None:
                STATE['tasks'].append(task)
                continue
            result._values['value'] = json.dumps(answer)
        except Exception as error:
            result._values['error'] = str(error)
        result._values['is_complete'] = True


def ends(which, side):
    return lambda edge: edge._ends[which]._node if side == 'node' else edge._ends[which]._values['properties']._values['label']


def build(config, table):
    """`engine` decides what is there; `pcg: false` is an editor without the plugin."""
    toolset.ASSETS, STATE['without'] = ASSETS, config.get('without', ())
    version = tuple(int(part) for part in config['engine'].split('.')[:2])
    module = Module('unreal')
    for name in 'EnumBase StructBase Array Set Map Name Text Object Class Vector Vector2D Vector4 Rotator Quat Transform Color LinearColor TopLevelAssetPath SoftObjectPath SoftClassPath'.split():
        setattr(module, name, getattr(objects, name))
    for name in ('Actor StaticMesh StaticMeshActor EditorActorSubsystem LevelEditorSubsystem UnrealEditorSubsystem SubobjectDataSubsystem '
                 'AddNewSubobjectParams InstancedStaticMeshComponent Volume SplineComponent SplineCoordinateSpace SplinePointType').split():
        setattr(module, name, getattr(level, name))
    for cls in (EditorAssetLibrary, AssetToolsHelpers, AssetRegistryHelpers, Paths, ScopedEditorTransaction):
        setattr(module, cls.__name__, cls)
    if config.get('rendering', True):
        for cls in (rendering.SceneCapture2D, rendering.SceneCaptureSource, rendering.SceneCaptureComponent2D, rendering.RenderingLibrary,
                    rendering.TextureRenderTargetFormat, rendering.TextureRenderTarget2D):
            setattr(module, cls.__name__, cls)
    module.EditorLoadingAndSavingUtils, module.Package = rendering.EditorLoadingAndSavingUtils, rendering.Package
    module.Box = listing.named('Box')
    SystemLibrary.engine = config['engine'] + '-0+++UE5+Double'
    module.SystemLibrary, module.SourceControl = SystemLibrary, source_control.SourceControl
    module.SourceControlState = listing.named('SourceControlState')
    module.register_slate_post_tick_callback = register_slate_post_tick_callback
    module.unregister_slate_post_tick_callback = unregister_slate_post_tick_callback
    module.get_editor_subsystem = module.get_engine_subsystem = lambda cls: cls._new('/Engine/Transient.%s' % cls.__name__)
    module.new_object, module.load_class = new_object, load_class
    if config.get('pcg', True):
        for name in dir(pcg):
            if name.startswith('PCG'):
                setattr(module, name, getattr(pcg, name))
        given = [known for known in vars(level).values() if isinstance(known, type)]
        listing.MADE.update({known.__name__: known for known in given if known.__name__ in listing.LISTED or known is level.StaticMesh})
        listing.MADE['TextureRenderTarget2D'] = rendering.TextureRenderTarget2D
        for name, cls in nodes.settings_classes(table['types'], table['common']).items():
            setattr(module, name, cls)
        for row in config.get('plugins', ()):  # classes of a plugin are those of the engine, with a module of their own
            setattr(module, row['name'], nodes.settings_class(row))
        for name in ('PCGLandscapeData', 'PCGComponent', 'PCGVolume', 'PCGPartitionActor', 'PCGBlueprintHelpers'):
            setattr(module, name, getattr(level, name))
        for name in listing.LISTED:
            if name.startswith('PCG') and not hasattr(module, name):
                setattr(module, name, listing.named(name))
    if version >= (5, 8):
        for name, which in (('input', 0), ('output', 1)):
            setattr(pcg.PCGEdge, 'get_%s_node' % name, ends(which, 'node'))
            setattr(pcg.PCGEdge, 'get_%s_pin_label' % name, ends(which, 'label'))
        if config.get('pcg', True):
            module.PCGSubgraphSettings.set_subgraph = lambda settings, graph: settings.set_editor_property('subgraph_override', graph)
        if config.get('toolsets', True):
            module.ToolsetRegistry = ToolsetRegistry
    return module
