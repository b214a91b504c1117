"""A picture of the level from one camera: a scene capture that leaves nothing behind. Part 5 of the program."""

PICTURED = {'marks': False}  # a picture marked an unchanged level as changed: no more of them while it is unchanged
PICTURE_NEEDS = ('SceneCapture2D', 'SceneCaptureSource', 'RenderingLibrary', 'TextureRenderTargetFormat')
MOST_PICTURE = 2 ** 21
FIELD_OF_VIEW = 90.0  # of a new viewport; no function returns that of an open one


def changed_packages():
    saving = unreal.EditorLoadingAndSavingUtils
    changed = list(saving.get_dirty_map_packages()) + list(saving.get_dirty_content_packages())
    return set(package.get_path_name() for package in changed)


def camera_of(given):
    """Of the active viewport, unless one is given."""
    if given is not None:
        return given
    shown = unreal.get_editor_subsystem(unreal.UnrealEditorSubsystem).get_level_viewport_camera_info()
    if shown is None:
        raise Refusal('EDITOR_ERROR', 'the editor has no open level viewport')
    return {'location': numbers(shown[0]), 'rotation': numbers(shown[1])}


def capture_into(target, camera):
    """The camera is transient, its selection is put back, and the transaction around it is cancelled: no entry to undo."""
    subsystem, actor = unreal.get_editor_subsystem(unreal.EditorActorSubsystem), None
    selected = subsystem.get_selected_level_actors()
    transaction = unreal.SystemLibrary.begin_transaction('Gantry', 'Gantry: picture', None)
    try:
        pitch, yaw, roll = camera['rotation']
        actor = subsystem.spawn_actor_from_class(
            unreal.SceneCapture2D, unreal.Vector(*camera['location']), unreal.Rotator(roll=roll, pitch=pitch, yaw=yaw), True)
        if actor is None:
            raise Refusal('EDITOR_ERROR', 'the editor placed no camera in the level')
        component = actor.get_editor_property('capture_component2d')
        component.set_editor_property('capture_every_frame', False)
        component.set_editor_property('capture_on_movement', False)
        component.set_editor_property('capture_source', unreal.SceneCaptureSource.SCS_FINAL_COLOR_LDR)
        component.set_editor_property('fov_angle', FIELD_OF_VIEW)
        component.set_editor_property('texture_target', target)
        component.capture_scene()
        component.capture_scene()  # what the first one made the editor load
    finally:
        if actor is not None:
            subsystem.destroy_actor(actor)
        subsystem.set_selected_level_actors(selected)
        unreal.SystemLibrary.cancel_transaction(transaction)


def exported(world, target):
    """An 8-bit render target is exported as PNG, into our folder and for a moment only."""
    folder, name = os.path.join(project_folder(), 'Saved', 'PcgBridge'), 'picture-%s.png' % os.urandom(16).hex()
    file = os.path.join(folder, name)
    os.makedirs(folder, exist_ok=True)
    try:
        unreal.RenderingLibrary.export_render_target(world, target, folder, name)
        if not os.path.exists(file):
            raise Refusal('EDITOR_ERROR', 'the editor wrote no picture')
        if os.path.getsize(file) > MOST_PICTURE:
            raise Refusal('EDITOR_ERROR', 'the picture has more than %d bytes' % MOST_PICTURE)
        with open(file, 'rb') as opened:
            return base64.b64encode(opened.read()).decode('ascii')
    finally:
        if os.path.exists(file):
            os.remove(file)


def pictured(args):
    missing = [name for name in PICTURE_NEEDS if not hasattr(unreal, name)]
    if missing:
        raise Refusal('EDITOR_ERROR', 'this version of the editor has no %s' % ' and no '.join(missing))
    if playing():
        raise Refusal('EDITOR_ERROR', 'the editor is in Play')
    if args['level'] is not None and args['level'] != level():
        raise Refusal('EDITOR_ERROR', 'another level is open now')
    before = changed_packages()
    if PICTURED['marks'] and level() not in before:
        raise Refusal('EDITOR_ERROR', 'this version of the editor marks an unchanged level as changed by a picture')
    camera = camera_of(args['camera'])
    end_turn()  # it must not become part of an agent's entry
    world = unreal.get_editor_subsystem(unreal.UnrealEditorSubsystem).get_editor_world()
    target = unreal.RenderingLibrary.create_render_target2d(
        world, args['width'], args['height'], unreal.TextureRenderTargetFormat.RTF_RGBA8_SRGB)
    try:
        capture_into(target, camera)
        return {'picture': exported(world, target), 'camera': camera, 'level': level(), 'reason': None}
    finally:
        unreal.RenderingLibrary.release_render_target2d(target)
        if changed_packages() - before:
            PICTURED['marks'] = True


def take_picture(args):
    """The reason instead of a failure: a turn without pictures is still a turn."""
    try:
        return pictured(args)
    except Exception as error:
        return {'picture': None, 'camera': None, 'level': None, 'reason': str(error) or type(error).__name__}
